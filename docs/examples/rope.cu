// RoPE, a thread a pair, over an exported header; writes a file of results.
// nvcc makes a program for the GPU, a C++ compiler one for the processor: the same arithmetic, one thread.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "vectors.h"

#ifdef __CUDACC__
#define DEVICE __device__
#else
#define DEVICE
#endif

struct Rope {
    int width, pairs, start, half;
    float base;
};

// The kernel: pair number i of a whole tensor, t the position of each row.
DEVICE void turn(Rope r, const float *x, const float *t, float *y, long i) {
    long row = i / r.pairs;
    int pair = (int)(i % r.pairs);
    float angle = t[row] / powf(r.base, (float)pair / r.pairs);
    float c = cosf(angle), s = sinf(angle);
    long a = row * r.width + r.start + (r.half ? pair : 2 * pair), b = a + (r.half ? r.pairs : 1);
    y[a] = x[a] * c - x[b] * s;
    y[b] = x[a] * s + x[b] * c;
}

#ifdef __CUDACC__
__global__ void turn_all(Rope r, const float *x, const float *t, float *y, long count) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count) turn(r, x, t, y, i);
}

static void check(cudaError_t found) {
    if (found != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(found)), exit(2);
}

static float *copied(const std::vector<float> &from) {
    float *to;
    check(cudaMalloc((void **)&to, from.size() * sizeof(float)));
    check(cudaMemcpy(to, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice));
    return to;
}

static void run(Rope r, const std::vector<float> &x, const std::vector<float> &t, std::vector<float> &y) {
    long count = (long)t.size() * r.pairs;
    float *X = copied(x), *T = copied(t), *Y = copied(y);
    if (count) turn_all<<<(unsigned)((count + 255) / 256), 256>>>(r, X, T, Y, count);
    check(cudaGetLastError());
    check(cudaMemcpy(y.data(), Y, y.size() * sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(X), cudaFree(T), cudaFree(Y);
}
#else
static void run(Rope r, const std::vector<float> &x, const std::vector<float> &t, std::vector<float> &y) {
    for (long i = 0; i < (long)t.size() * r.pairs; i++) turn(r, x.data(), t.data(), y.data(), i);
}
#endif

// The position of each row of x: the axes of the positions are the last ones of x before its width.
static std::vector<float> positions_of_rows(const posref_tensor &x, const posref_tensor &positions) {
    int64_t rows = 1, width = x.shape[x.rank - 1];
    for (int axis = 0; axis + 1 < x.rank; axis++) rows *= x.shape[axis];
    std::vector<float> found(width ? rows : 0);
    for (int64_t row = 0; row < (int64_t)found.size(); row++) {
        int64_t rest = row, at = 0, step = 1;
        for (int back = 1; back <= positions.rank; back++) {
            int64_t own = positions.shape[positions.rank - back], full = x.shape[x.rank - 1 - back];
            at += own == 1 ? 0 : rest % full * step;
            step *= own;
            rest /= full;
        }
        found[row] = (float)posref_value(&positions, at);
    }
    return found;
}

static Rope described(const posref_case &one, int &scaled) {
    Rope r = {(int)one.input[0].shape[one.input[0].rank - 1], 0, 0, 0, 0};
    for (int i = 0; i < one.params; i++) {
        const posref_param &p = one.param[i];
        if (!strcmp(p.name, "rotary_dim")) r.pairs = (int)p.integer / 2;
        if (!strcmp(p.name, "rotary_start")) r.start = (int)p.integer;
        if (!strcmp(p.name, "base")) r.base = (float)posref_float64(p.real);
        if (!strcmp(p.name, "pairing")) r.half = !strcmp(p.text, "half");
        if (!strncmp(p.name, "scaling", 7) && strcmp(p.kind, "null")) scaled = 1;
    }
    return r;
}

static void write(FILE *file, const posref_case &one, const std::vector<float> &y) {
    const posref_tensor &x = one.input[0];
    fprintf(file, "{\"test\":\"%s\",\"dtype\":\"float32\",\"outputs\":{\"y\":{\"dtype\":\"float32\",\"shape\":[", one.id);
    for (int axis = 0; axis < x.rank; axis++) fprintf(file, "%s%lld", axis ? "," : "", (long long)x.shape[axis]);
    fprintf(file, "],\"data\":[");
    for (size_t i = 0, width = x.shape[x.rank - 1]; i < y.size(); i++) {
        uint32_t bits;
        memcpy(&bits, &y[i], sizeof bits);
        fprintf(file, "%s%08x%s", i % width ? "" : i ? ",\"" : "\"", bits, (i + 1) % width ? "" : "\"");
    }
    fprintf(file, "]}}}\n");
}

int main(int count, char **words) {
    FILE *file = count == 2 ? fopen(words[1], "w") : nullptr;
    if (!file) return fprintf(stderr, "usage: rope FILE\n"), 2;
    fprintf(file, "{\"type\":\"results\",\"protocol\":1,\"tree_sha256\":\"%s\",", POSREF_TREE_SHA256);
    fprintf(file, "\"name\":\"rope.cu\",\"language\":\"CUDA\",\"version\":\"1\",");
    fprintf(file, "\"operations\":[\"rope.apply\"],\"dtypes\":[\"float32\"]}\n");
    for (const posref_case *one = posref_cases; one->id; one++) {
        int scaled = 0;
        if (one->error) continue;  // arguments are checked by the caller
        Rope r = described(*one, scaled);
        if (scaled) {
            fprintf(file, "{\"test\":\"%s\",\"dtype\":\"float32\",\"skipped\":{\"reason\":\"no scaling\"}}\n", one->id);
            continue;
        }
        std::vector<float> x(one->input[0].size);
        for (size_t i = 0; i < x.size(); i++) x[i] = (float)posref_value(&one->input[0], i);
        std::vector<float> y = x, t = positions_of_rows(one->input[0], one->input[1]);
        run(r, x, t, y);
        write(file, *one, y);
    }
    return fclose(file) ? 2 : 0;
}
