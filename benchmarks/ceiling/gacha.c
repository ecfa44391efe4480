/* The default game of gacha in plain C: what the batch engine is measured against.
 *
 * Four players, win points, balls that stay out of the bag, the lead that goes round, the reward
 * "win", the observation `flat`. Ids in the comments are those of the rules on the game's page.
 *
 * Tables are stepped as by the batch engine, with the same random streams, so that both play the
 * same games: `c_tables.py` compiles this file and checks that they do. What is left out is what
 * this loop does not need: the checks of actions, chance as nodes of a tree, the log of a round and
 * the memory from which hidden cards are drawn anew for a search.
 *
 * Cards are 0 .. 48, the printed number less one. A set of cards is a word with a bit for each.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PLAYERS = 4, CARDS = 49, HAND = 10, TRICKS = 10, MOST_ROUNDS = 20, TARGET = 4 };
enum { FIVE_SET = 3, FOUR_SET = 1 };                    /* VP of a set of colours (G24) */
static const int MISERE[PLAYERS + 1] = {0, 6, 3, 2, 0}; /* VP by number of trickless seats (G25) */
static const int RANK_WP[PLAYERS] = {2, 1, 0, 0};       /* WP by rank (G26) */

enum { RED, BLUE, YELLOW, GREEN, PURPLE, BLACK, COLOURS, BALLS = BLACK, NO_COLOUR = -1 };
enum { ALL_COLOURS = (1 << COLOURS) - 1, ALL_BALLS = (1 << BALLS) - 1 };
enum { HIGH, LOW };
enum { MUST, MUST_NOT, MAY, FOLLOWS, NO_FOLLOW = -1 };
enum phase { FOLLOW, PLAY, REDRAW, RETURN, DUST, PHASES, OVER = PHASES };

/* The columns of a row of won cards: the six colours, then these. */
enum { WON_DOWN = COLOURS, T_POINTS, WON };

/* Actions and strengths are those of a game with all 55 cards. */
enum { ALL_CARDS = 55, TRUMP_BONUS = 64, MOST_DUST = 5 };
enum {
    PLAY_ACTION = 0,
    RETURN_ACTION = PLAY_ACTION + ALL_CARDS,
    FOLLOW_ACTION = RETURN_ACTION + ALL_CARDS,
    REDRAW_ACTION = FOLLOW_ACTION + FOLLOWS,
    KEEP_ACTION,
    DUST_ACTION,
    ACTIONS = DUST_ACTION + MOST_DUST
};

typedef uint64_t set; /* of cards, of positions in the trick, of balls */

#define BIT(element) ((set)1 << (element))

/* The faces of the cards. */
struct deck {
    int16_t colour[CARDS];
    int16_t gacha[CARDS]; /* icons */
    int16_t revo[CARDS];
    int16_t redraw[CARDS];
    int16_t dust[CARDS];
    set of_colours[1 << COLOURS]; /* the cards of a set of colours */
};

struct trick {
    int plays;
    int card[PLAYERS]; /* by position; nothing from `plays` on */
    set down, gone;    /* positions that lie face down, that were discarded */
    int revo, gacha, dust;
    int led;
    int table_colours; /* bits of the colours that lie face up */
    int top_key, top_at, second_key, second_at;
    int dust_left, dust_from;
};

struct game {
    uint64_t seed, table, number; /* the key of its chance */
    uint64_t stream;
    enum phase phase;
    int seat, round, first_leader, order;
    set bag;
    int totals[PLAYERS];
    /* the round */
    int trump, number_of_trick, leader, follow, previous_follow;
    set hand[PLAYERS];
    int8_t undealt[CARDS]; /* cards that nobody has held, in no order */
    int undealt_count;
    int8_t returned[PLAYERS * TRICKS], returner[PLAYERS * TRICKS]; /* first to last */
    int returned_count, redrawn_count;
    int8_t won[PLAYERS][WON];
    struct trick trick;
    /* the acting seat */
    int allowed; /* bits of the colours that it may play */
    bool must_hide;
    int drawn;
    /* what seats know */
    set shown, hidden[PLAYERS], drawn_again[PLAYERS];
    int8_t void_age[PLAYERS][COLOURS]; /* 0: not shown void; else 1 + cards drawn since */
};

struct table {
    struct game game;
    uint64_t sampling; /* the stream of random actions */
};

/* ================================================================ observation and mask */

/* Sections, in their order; seats by offset from the observing one, plays by position. */
struct observation {
    int8_t hand[CARDS], gone[CARDS], returned[CARDS], drawn_again[CARDS], drawn[CARDS];
    int8_t would_lead[CARDS];
    int8_t trick[PLAYERS][CARDS], down[PLAYERS], discarded[PLAYERS], leading[PLAYERS];
    int8_t led[COLOURS], table_colours[COLOURS];
    int8_t follow[FOLLOWS], previous_follow[FOLLOWS];
    int8_t trump[COLOURS], order, balls[BALLS];
    int8_t won[PLAYERS][WON], totals[PLAYERS][2], voids[PLAYERS][COLOURS];
    int8_t phase[PHASES], actor[PLAYERS], leader[PLAYERS], first_leader[PLAYERS];
    int8_t dust, stock, undealt;
    int8_t number_of_trick[TRICKS], round[2];
};

struct mask {
    int8_t play[ALL_CARDS], put_back[ALL_CARDS];
    int8_t follow[FOLLOWS], redraw, keep, dust[MOST_DUST];
};

_Static_assert(sizeof(struct mask) == ACTIONS, "a mask has a byte for each action");

/* ================================================================ chance */

static uint32_t mix(uint32_t word)
{
    word = (word ^ (word >> 16)) * 0x7FEB352Du;
    word = (word ^ (word >> 15)) * 0x846CA68Bu;
    return word ^ (word >> 16);
}

static const uint64_t MULTIPLIER = 4294883355;

/* The first state of the stream with a key of four words. */
static uint64_t stream_of(uint64_t first, uint64_t second, uint64_t third, uint64_t fourth)
{
    const uint64_t key[] = {first, second, third, fourth};
    uint32_t low = 0x9E3779B9u, high = 0x85EBCA6Bu;
    for (int k = 0; k < 4; k++) {
        low = mix(low ^ (uint32_t)key[k]);
        high = mix(high + low) ^ (uint32_t)(key[k] >> 32);
        low = mix(low + high);
    }
    return (mix(high) % (MULTIPLIER - 2) + 1) << 32 | low;
}

/* 32 random bits, by a multiplication with carry. */
static uint32_t next_word(uint64_t *stream)
{
    uint32_t low = (uint32_t)*stream, carry = (uint32_t)(*stream >> 32);
    *stream = low * MULTIPLIER + carry;
    return low ^ carry;
}

/* Uniformly one of 0 .. count - 1, exactly, by Lemire's rejection. */
static int draw(uint64_t *stream, int count)
{
    uint32_t bound = (uint32_t)count;
    uint64_t product = (uint64_t)next_word(stream) * bound;
    if ((uint32_t)product < bound) {
        uint32_t threshold = -bound % bound;
        while ((uint32_t)product < threshold)
            product = (uint64_t)next_word(stream) * bound;
    }
    return (int)(product >> 32);
}

/* Uniformly one element of a set that is not empty. */
static int draw_from(uint64_t *stream, set elements)
{
    for (int skipped = draw(stream, __builtin_popcountll(elements)); skipped > 0; skipped--)
        elements &= elements - 1;
    return __builtin_ctzll(elements);
}

/* ================================================================ a trick */

static int seat_at(const struct game *game, int position)
{
    return (game->leader + position) % PLAYERS;
}

static bool holds_any(const struct game *game, const struct deck *deck, int colours)
{
    return (game->hand[game->seat] & deck->of_colours[colours]) != 0;
}

static set playable(const struct game *game, const struct deck *deck)
{
    return game->hand[game->seat] & deck->of_colours[game->allowed];
}

/* Whose play wins the trick as it lies: the strongest, under "may" the second (G11-G16). */
static int winning_position(const struct game *game)
{
    return game->follow == MAY ? game->trick.second_at : game->trick.top_at;
}

static int dust_end(const struct game *game)
{
    return PLAYERS - game->trick.dust_left + 1;
}

static void begin_trick(struct game *game)
{
    game->trick = (struct trick){.led = NO_COLOUR};
    game->follow = NO_FOLLOW;
    game->phase = FOLLOW;
    game->seat = game->leader;
}

/* Gives the turn to a seat and settles which colours it may play (G11, G12, G13, G16). */
static void ask_for_card(struct game *game, const struct deck *deck, int seat)
{
    const struct trick *trick = &game->trick;
    game->phase = PLAY;
    game->seat = seat;
    game->must_hide = false;
    game->allowed = ALL_COLOURS;
    if (game->follow == MUST && trick->plays > 0) {
        if (holds_any(game, deck, 1 << trick->led))
            game->allowed = 1 << trick->led;
    } else if (game->follow == MUST_NOT) {
        int others = ALL_COLOURS & ~(trick->plays > 0 ? trick->table_colours : 1 << game->trump);
        if (holds_any(game, deck, others))
            game->allowed = others;
        else
            game->must_hide = true;
    }
}

/* How strong a card is if it lies face up in this trick; 0 if it cannot win (G11-G17). */
static int strength(const struct game *game, const struct deck *deck, int card)
{
    int number = game->order == HIGH ? card + 1 : ALL_CARDS - card;
    int colour = deck->colour[card];
    if (game->follow == MAY)
        return number;
    if (colour == game->trump)
        return number + TRUMP_BONUS;
    return game->follow == MUST_NOT || colour == game->trick.led ? number : 0;
}

/* Keeps the strongest and the second strongest play. */
static void compare(struct trick *trick, int key, int position)
{
    if (key > trick->top_key) {
        trick->second_key = trick->top_key;
        trick->second_at = trick->top_at;
        trick->top_key = key;
        trick->top_at = position;
    } else if (key > trick->second_key) {
        trick->second_key = key;
        trick->second_at = position;
    }
}

static void lay_face_up(struct game *game, const struct deck *deck, int card, int position)
{
    struct trick *trick = &game->trick;
    game->shown |= BIT(card);
    if (trick->led == NO_COLOUR)
        trick->led = deck->colour[card];
    trick->table_colours |= 1 << deck->colour[card];
    trick->revo += deck->revo[card];
    trick->gacha += deck->gacha[card];
    trick->dust += deck->dust[card];
    compare(trick, strength(game, deck, card), position);
}

/* Bits of the colours that the hand can have had, by what a play shows. */
static int colours_it_can_have_held(const struct game *game, const struct deck *deck, int card)
{
    const struct trick *trick = &game->trick;
    if (game->must_hide)
        return trick->plays > 0 ? trick->table_colours : 1 << game->trump;
    if (game->follow == MUST && trick->plays > 0 && deck->colour[card] != trick->led)
        return ALL_COLOURS & ~(1 << trick->led);
    return ALL_COLOURS;
}

static void show_voids(struct game *game, int held)
{
    for (int colour = 0; colour < COLOURS; colour++)
        if (!(held >> colour & 1))
            game->void_age[game->seat][colour] = 1;
}

/* ================================================================ scores */

/* Whether so many sets of five and of four colours can be made: the page's closed form. */
static bool can_make(const int8_t *counts, int wilds, int fives, int fours)
{
    int missing = 0, spared = 0;
    for (int colour = 0; colour < BALLS; colour++) {
        int lack = fives + fours - counts[colour];
        if (lack > 0) {
            missing += lack;
            spared += lack < fours ? lack : fours;
        }
    }
    return missing - (fours < spared ? fours : spared) <= wilds;
}

/* The best VP that won cards can make (G24). */
static int set_points(const int8_t *won)
{
    int wilds = won[WON_DOWN] + won[T_POINTS], best = 0;
    for (int fives = 0; can_make(won, wilds, fives, 0); fives++) {
        int fours = 0;
        while (can_make(won, wilds, fives, fours + 1))
            fours++;
        int points = FIVE_SET * fives + FOUR_SET * fours;
        if (points > best)
            best = points;
    }
    return best;
}

/* VP of every seat: sets of won cards, or misère for those without a trick (G24, G25). */
static void count_vp(const struct game *game, int vp[PLAYERS])
{
    int trickless = 0;
    for (int seat = 0; seat < PLAYERS; seat++)
        trickless += game->won[seat][T_POINTS] == 0;
    for (int seat = 0; seat < PLAYERS; seat++) {
        const int8_t *won = game->won[seat];
        vp[seat] = won[T_POINTS] == 0 ? MISERE[trickless] : set_points(won);
    }
}

static bool stands_before(const int vp[PLAYERS], int seat)
{
    for (int other = 0; other < seat; other++)
        if (vp[other] == vp[seat])
            return true;
    return false;
}

/* WP by the rank of a seat's VP; equal VP, equal rank, no rank is skipped (G26). */
static int rank_points(const int vp[PLAYERS], int seat)
{
    int rank = 0;
    if (vp[seat] < 1)
        return 0;
    for (int other = 0; other < PLAYERS; other++)
        rank += vp[other] > vp[seat] && !stands_before(vp, other);
    return RANK_WP[rank];
}

/* Whether the game ends with this round (G27, G29). */
static bool is_finished(const struct game *game)
{
    for (int seat = 0; seat < PLAYERS; seat++)
        if (game->totals[seat] >= TARGET)
            return true;
    return game->round + 1 >= MOST_ROUNDS;
}

/* Most points; among equals most T points of the last round (G27). */
static bool is_unbeaten(const struct game *game, int seat)
{
    for (int other = 0; other < PLAYERS; other++) {
        int ahead = game->totals[other] - game->totals[seat];
        if (ahead == 0)
            ahead = game->won[other][T_POINTS] - game->won[seat][T_POINTS];
        if (ahead > 0)
            return false;
    }
    return true;
}

/* Of w winners each gets (1/w - 1/P) P/(P-1), any other seat -1/(P-1). */
static void pay(const struct game *game, float reward[PLAYERS])
{
    int winners = 0;
    for (int seat = 0; seat < PLAYERS; seat++)
        winners += is_unbeaten(game, seat);
    double won = (1.0 / winners - 1.0 / PLAYERS) * PLAYERS / (PLAYERS - 1);
    for (int seat = 0; seat < PLAYERS; seat++)
        reward[seat] = (float)(is_unbeaten(game, seat) ? won : -1.0 / (PLAYERS - 1));
}

/* ================================================================ a round */

static int take_undealt(struct game *game)
{
    int at = draw(&game->stream, game->undealt_count);
    int card = game->undealt[at];
    game->undealt[at] = game->undealt[--game->undealt_count];
    return card;
}

/* Shuffles all cards and deals; trump is black, the order stays, an empty bag is refilled (G5). */
static void begin_round(struct game *game)
{
    game->trump = BLACK;
    game->number_of_trick = 0;
    game->previous_follow = NO_FOLLOW;
    game->leader = game->first_leader;
    if (game->bag == 0)
        game->bag = ALL_BALLS;
    game->returned_count = game->redrawn_count = 0;
    game->shown = 0;
    memset(game->hand, 0, sizeof game->hand);
    memset(game->hidden, 0, sizeof game->hidden);
    memset(game->drawn_again, 0, sizeof game->drawn_again);
    memset(game->won, 0, sizeof game->won);
    memset(game->void_age, 0, sizeof game->void_age);
    for (int card = 0; card < CARDS; card++)
        game->undealt[card] = (int8_t)card;
    game->undealt_count = CARDS;
    for (int dealt = 0; dealt < PLAYERS * HAND; dealt++)
        game->hand[dealt / HAND] |= BIT(take_undealt(game));
    begin_trick(game);
}

static void restart_stream(struct game *game)
{
    game->stream = stream_of(game->seed, game->table, game->number, (uint64_t)game->round);
}

/* Begins a game: the order is high, the bag full; the first leader is drawn (G5, G7). */
static void begin_game(struct game *game, uint64_t seed, uint64_t table, uint64_t number)
{
    *game = (struct game){.seed = seed, .table = table, .number = number, .bag = ALL_BALLS};
    restart_stream(game);
    game->first_leader = draw(&game->stream, PLAYERS);
    begin_round(game);
}

/* Scores the round, then ends the game or begins the next round. */
static void end_round(struct game *game)
{
    int vp[PLAYERS];
    count_vp(game, vp);
    for (int seat = 0; seat < PLAYERS; seat++)
        game->totals[seat] += rank_points(vp, seat);
    if (is_finished(game)) {
        game->phase = OVER;
        return;
    }
    game->round++;
    game->first_leader = (game->first_leader + 1) % PLAYERS;
    restart_stream(game);
    begin_round(game);
}

/* ================================================================ decisions */

/* The winner takes what is left and one T point, then a ball may be drawn (G21, G22). */
static void take_trick(struct game *game, const struct deck *deck)
{
    const struct trick *trick = &game->trick;
    int8_t *won = game->won[game->seat];
    for (int position = 0; position < PLAYERS; position++) {
        if (trick->gone & BIT(position))
            continue;
        won[trick->down & BIT(position) ? WON_DOWN : deck->colour[trick->card[position]]]++;
    }
    won[T_POINTS]++;
    if (trick->gacha > 0) {
        if (game->bag == 0)
            game->bag = ALL_BALLS;
        game->trump = draw_from(&game->stream, game->bag);
        game->bag ^= BIT(game->trump);
    }
    game->leader = game->seat;
    game->previous_follow = game->follow;
    if (++game->number_of_trick < TRICKS)
        begin_trick(game);
    else
        end_round(game);
}

/* Winner, revo, dust, cards and T point, gacha (G23). */
static void finish_trick(struct game *game, const struct deck *deck)
{
    struct trick *trick = &game->trick;
    game->seat = seat_at(game, winning_position(game));
    if (trick->revo > 0)
        game->order = game->order == HIGH ? LOW : HIGH;
    trick->dust_left = trick->dust < PLAYERS ? trick->dust : PLAYERS;
    if (trick->dust_left > 0)
        game->phase = DUST;
    else
        take_trick(game, deck);
}

static void next_play(struct game *game, const struct deck *deck)
{
    if (game->trick.plays < PLAYERS)
        ask_for_card(game, deck, seat_at(game, game->trick.plays));
    else
        finish_trick(game, deck);
}

static int stock_size(const struct game *game)
{
    return game->undealt_count + game->returned_count - game->redrawn_count;
}

/* A seat plays a card, face up or, where it must, face down (G10-G14); it may redraw (G18). */
static void play(struct game *game, const struct deck *deck, int card)
{
    struct trick *trick = &game->trick;
    int position = trick->plays;
    show_voids(game, colours_it_can_have_held(game, deck, card));
    game->hand[game->seat] ^= BIT(card);
    trick->card[position] = card;
    trick->plays++;
    if (game->must_hide) {
        trick->down |= BIT(position);
        game->hidden[game->seat] |= BIT(card);
    } else {
        lay_face_up(game, deck, card, position);
        if (deck->redraw[card] && game->number_of_trick < TRICKS - 1 && stock_size(game) > 0) {
            game->phase = REDRAW;
            return;
        }
    }
    next_play(game, deck);
}

/* Draws the top card of the stock: by chance, or the returned card that is next (G18). */
static void redraw(struct game *game)
{
    int seat = game->seat;
    if (game->undealt_count > 0) {
        game->drawn = take_undealt(game);
    } else {
        int at = game->redrawn_count++;
        game->drawn = game->returned[at];
        game->drawn_again[game->returner[at]] |= BIT(game->drawn);
    }
    game->hand[seat] |= BIT(game->drawn);
    game->drawn_again[seat] &= ~BIT(game->drawn);
    for (int colour = 0; colour < COLOURS; colour++)
        if (game->void_age[seat][colour] > 0)
            game->void_age[seat][colour]++;
    game->phase = RETURN;
}

/* Puts a card of the hand at the bottom of the stock (G18). */
static void put_back(struct game *game, const struct deck *deck, int card)
{
    game->hand[game->seat] ^= BIT(card);
    game->returned[game->returned_count] = (int8_t)card;
    game->returner[game->returned_count++] = (int8_t)game->seat;
    next_play(game, deck);
}

/* The winner discards a card of the trick (G20). */
static void discard(struct game *game, const struct deck *deck, int position)
{
    game->trick.gone |= BIT(position);
    game->trick.dust_from = position + 1;
    if (--game->trick.dust_left == 0)
        take_trick(game, deck);
}

/* Plays a decision and the chance after it. */
static void apply(struct game *game, const struct deck *deck, int action)
{
    switch (game->phase) {
    case FOLLOW:
        game->follow = action - FOLLOW_ACTION;
        ask_for_card(game, deck, game->leader);
        break;
    case PLAY:
        play(game, deck, action - PLAY_ACTION);
        break;
    case REDRAW:
        if (action == REDRAW_ACTION)
            redraw(game);
        else
            next_play(game, deck);
        break;
    case RETURN:
        put_back(game, deck, action - RETURN_ACTION);
        break;
    case DUST:
        discard(game, deck, action - DUST_ACTION);
        break;
    case OVER:
        break;
    }
}

/* A uniformly random legal action. */
static int random_action(const struct game *game, const struct deck *deck, uint64_t *stream)
{
    switch (game->phase) {
    case FOLLOW:
        if (game->previous_follow == NO_FOLLOW)
            return FOLLOW_ACTION + draw(stream, FOLLOWS);
        int follow = draw(stream, FOLLOWS - 1);
        return FOLLOW_ACTION + follow + (follow >= game->previous_follow);
    case PLAY:
        return PLAY_ACTION + draw_from(stream, playable(game, deck));
    case REDRAW:
        return REDRAW_ACTION + draw(stream, 2);
    case RETURN:
        return RETURN_ACTION + draw_from(stream, game->hand[game->seat]);
    case DUST:
    default:
        return DUST_ACTION + game->trick.dust_from +
               draw(stream, dust_end(game) - game->trick.dust_from);
    }
}

/* ================================================================ writing what is seen */

/* SPREAD(b): eight bytes 0 or 1, one for each bit of a byte, the lowest bit first. */
static uint64_t SPREAD[256];

__attribute__((constructor)) static void fill_spread(void)
{
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0; bit < 8; bit++)
            ((uint8_t *)&SPREAD[byte])[bit] = byte >> bit & 1;
}

/* Writes the lowest `count` bits of a set as bytes 0 and 1. */
static inline void write_set(int8_t *target, set elements, int count)
{
    int at = 0;
    for (; at + 8 <= count; at += 8, elements >>= 8)
        memcpy(target + at, &SPREAD[elements & 0xFF], 8);
    for (; at < count; at++, elements >>= 1)
        target[at] = elements & 1;
}

/* Two digits of base 64, the high one first. */
static void write_long(int8_t target[2], int value)
{
    target[0] = (int8_t)(value >> 6);
    target[1] = value & 63;
}

/* The cards whose strength as plain cards exceeds a key of 0 .. 63. */
static set stronger(int order, int key)
{
    if (order == HIGH)
        return ~(set)0 << key;
    return key < ALL_CARDS ? BIT(ALL_CARDS - key) - 1 : 0;
}

/* The playable cards that would win the trick as it lies once they are played (G11, G15, G16). */
static set leading_cards(const struct game *game, const struct deck *deck)
{
    const struct trick *trick = &game->trick;
    bool may = game->follow == MAY, first = trick->plays == 0;
    int floor = may ? trick->second_key : trick->top_key;
    int ceiling = may && !first ? trick->top_key : TRUMP_BONUS - 1;
    int trumps = may ? 0 : 1 << game->trump;
    int plain = first || game->follow != MUST ? ALL_COLOURS
                                              : trick->table_colours & 1 << trick->led;
    int floor_of_trumps = floor > TRUMP_BONUS ? floor - TRUMP_BONUS : 0;
    int floor_of_plain = floor < TRUMP_BONUS ? floor : TRUMP_BONUS - 1;
    set leading = deck->of_colours[trumps] & stronger(game->order, floor_of_trumps);
    leading |= deck->of_colours[plain & ~trumps] & stronger(game->order, floor_of_plain) &
               ~stronger(game->order, ceiling);
    return playable(game, deck) & leading;
}

static void observe_cards(const struct game *game, const struct deck *deck, int seat,
                          struct observation *seen)
{
    write_set(seen->hand, game->hand[seat], CARDS);
    write_set(seen->gone, game->shown | game->hidden[seat], CARDS);
    for (int at = game->redrawn_count; at < game->returned_count; at++)
        if (game->returner[at] == seat)
            seen->returned[game->returned[at]] =
                (int8_t)(game->undealt_count + at - game->redrawn_count + 1);
    write_set(seen->drawn_again, game->drawn_again[seat] & ~game->shown, CARDS);
    if (game->phase == RETURN)
        seen->drawn[game->drawn] = 1;
    if (game->phase == PLAY && !game->must_hide)
        write_set(seen->would_lead, leading_cards(game, deck), CARDS);
}

static void observe_trick(const struct game *game, int seat, struct observation *seen)
{
    const struct trick *trick = &game->trick;
    for (int position = 0; position < trick->plays; position++)
        if (!(trick->down & BIT(position)) || seat_at(game, position) == seat)
            seen->trick[position][trick->card[position]] = 1;
    write_set(seen->down, trick->down, PLAYERS);
    write_set(seen->discarded, trick->gone, PLAYERS);
    if (trick->table_colours != 0)
        seen->leading[winning_position(game)] = 1;
    if (trick->led != NO_COLOUR)
        seen->led[trick->led] = 1;
    write_set(seen->table_colours, (set)trick->table_colours, COLOURS);
}

static void observe_table(const struct game *game, struct observation *seen)
{
    if (game->follow != NO_FOLLOW)
        seen->follow[game->follow] = 1;
    if (game->previous_follow != NO_FOLLOW)
        seen->previous_follow[game->previous_follow] = 1;
    seen->trump[game->trump] = 1;
    seen->order = (int8_t)game->order;
    write_set(seen->balls, game->bag, BALLS);
}

static void observe_seats(const struct game *game, int seat, struct observation *seen)
{
    for (int offset = 0; offset < PLAYERS; offset++) {
        int other = (seat + offset) % PLAYERS;
        memcpy(seen->won[offset], game->won[other], WON);
        write_long(seen->totals[offset], game->totals[other]);
        memcpy(seen->voids[offset], game->void_age[other], COLOURS);
    }
}

static void observe_turn(const struct game *game, int seat, struct observation *seen)
{
    seen->phase[game->phase] = 1;
    seen->actor[0] = 1; /* only the acting seat looks here */
    seen->leader[(game->leader - seat + PLAYERS) % PLAYERS] = 1;
    seen->first_leader[(game->first_leader - seat + PLAYERS) % PLAYERS] = 1;
    seen->dust = (int8_t)game->trick.dust_left;
    seen->stock = (int8_t)stock_size(game);
    seen->undealt = (int8_t)game->undealt_count;
    seen->number_of_trick[game->number_of_trick] = 1;
    write_long(seen->round, game->round);
}

/* What the acting seat may know. */
static void observe(const struct game *game, const struct deck *deck, struct observation *seen)
{
    memset(seen, 0, sizeof *seen);
    observe_cards(game, deck, game->seat, seen);
    observe_trick(game, game->seat, seen);
    observe_table(game, seen);
    observe_seats(game, game->seat, seen);
    observe_turn(game, game->seat, seen);
}

static void write_mask(const struct game *game, const struct deck *deck, struct mask *mask)
{
    memset(mask, 0, sizeof *mask);
    switch (game->phase) {
    case FOLLOW:
        for (int follow = 0; follow < FOLLOWS; follow++)
            mask->follow[follow] = follow != game->previous_follow;
        break;
    case PLAY:
        write_set(mask->play, playable(game, deck), ALL_CARDS);
        break;
    case REDRAW:
        mask->redraw = mask->keep = 1;
        break;
    case RETURN:
        write_set(mask->put_back, game->hand[game->seat], ALL_CARDS);
        break;
    case DUST:
        for (int position = game->trick.dust_from; position < dust_end(game); position++)
            mask->dust[position] = 1;
        break;
    case OVER:
        break;
    }
}

/* ================================================================ many tables */

/* What is shown of N tables, a row each. */
struct shown {
    struct observation *observation;
    struct mask *mask;
    int64_t *seat;
    float (*reward)[PLAYERS];
    uint8_t *done;
};

/* What the caller must lay out: bytes of a table, of an observation, of a mask. */
void gacha_sizes(int64_t sizes[3])
{
    sizes[0] = sizeof(struct table);
    sizes[1] = sizeof(struct observation);
    sizes[2] = sizeof(struct mask);
}

static void show(const struct game *game, const struct deck *deck, const struct shown *shown,
                 int64_t row)
{
    shown->seat[row] = game->seat;
    observe(game, deck, &shown->observation[row]);
    write_mask(game, deck, &shown->mask[row]);
}

/* Table i begins the game (seed, i, 0). */
void gacha_begin(struct table *tables, int64_t count, uint64_t seed, const struct deck *deck,
                 const struct shown *shown)
{
    for (int64_t row = 0; row < count; row++) {
        begin_game(&tables[row].game, seed, (uint64_t)row, 0);
        tables[row].sampling = stream_of(seed, (uint64_t)row, 0, BIT(63));
        show(&tables[row].game, deck, shown, row);
    }
}

/* Draws a random legal action for each of `count` rows. */
void gacha_sample(struct table *tables, const int64_t *rows, int64_t count,
                  const struct deck *deck, int64_t *actions)
{
    for (int64_t k = 0; k < count; k++) {
        struct table *table = &tables[rows[k]];
        actions[k] = random_action(&table->game, deck, &table->sampling);
    }
}

/* Plays a legal action at each of `count` rows; an ended table begins its next game. */
void gacha_step(struct table *tables, const int64_t *rows, int64_t count, const int64_t *actions,
                const struct deck *deck, const struct shown *shown)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t row = rows[k];
        struct game *game = &tables[row].game;
        memset(shown->reward[row], 0, sizeof shown->reward[row]);
        apply(game, deck, (int)actions[k]);
        shown->done[row] = game->phase == OVER;
        if (game->phase == OVER) {
            pay(game, shown->reward[row]);
            begin_game(game, game->seed, game->table, game->number + 1);
        }
        show(game, deck, shown, row);
    }
}
