#include "encodings.h"

#include <math.h>

void inv_freq(int64_t pairs, double base, double *out) {
    for (int64_t i = 0; i < pairs; i++) out[i] = pow(base, -(double)i / (double)pairs);
}

void cos_sin(double position, const double *frequencies, int64_t pairs, double factor, double *c, double *s) {
    for (int64_t i = 0; i < pairs; i++) {
        double angle = position * frequencies[i];
        c[i] = factor * cos(angle);
        s[i] = factor * sin(angle);
    }
}

/* The two coordinates of pair i inside the rotated slice. */
static void coordinates(enum pairing pairing, int64_t pairs, int64_t i, int64_t *a, int64_t *b) {
#ifdef WRONG_PAIRING /* the twin: neighbours are paired whatever is declared */
    pairing = ADJACENT;
#endif
    *a = pairing == HALF ? i : 2 * i;
    *b = pairing == HALF ? i + pairs : 2 * i + 1;
}

void rotate(const double *x, double *y, int64_t start, int64_t pairs, const double *c, const double *s,
            enum pairing in, enum pairing out) {
    for (int64_t i = 0; i < pairs; i++) {
        int64_t a, b;
        coordinates(in, pairs, i, &a, &b);
        double u = x[start + a], w = x[start + b];
        coordinates(out, pairs, i, &a, &b);
        y[start + a] = u * c[i] - w * s[i];
        y[start + b] = u * s[i] + w * c[i];
    }
}

double slope(int64_t k, int64_t heads, double bias_max) {
    int64_t power = 1;
    while (power <= heads / 2) power *= 2;
    double share = k < power ? (double)(k + 1) / (double)power : (double)(2 * (k - power) + 1) / (double)(2 * power);
    return exp2(-bias_max * share);
}

double bias(double slope, int64_t query, int64_t key, enum form form, int future_banned) {
    if (future_banned && key > query) return -INFINITY;
    double distance = (double)(key - query);
    double multiple = form == KEY_INDEX ? (double)key : form == NEG_ABS ? -fabs(distance) : distance;
    return slope * multiple + 0.0; /* a zero has no minus */
}
