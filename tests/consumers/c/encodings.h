/* Positional encodings in plain C: what a kernel would compute, one row at a time. */
#ifndef ENCODINGS_H
#define ENCODINGS_H

#include <stdint.h>

enum pairing { ADJACENT, HALF };
enum form { NEG_DISTANCE, NEG_ABS, KEY_INDEX };

/* Frequencies base^(-i / pairs), i = 0 ... pairs - 1. */
void inv_freq(int64_t pairs, double base, double *out);

/* Cosines and sines of position * frequency, each multiplied by factor. */
void cos_sin(double position, const double *frequencies, int64_t pairs, double factor, double *c, double *s);

/* One token: turn the pairs of x[start ...] and write them into y, which is a copy of x. */
void rotate(const double *x, double *y, int64_t start, int64_t pairs, const double *c, const double *s,
            enum pairing in, enum pairing out);

/* Slope of head k (from 0) of so many heads. */
double slope(int64_t k, int64_t heads, double bias_max);

/* What one head adds to the score of a query and a key. */
double bias(double slope, int64_t query, int64_t key, enum form form, int future_banned);

#endif
