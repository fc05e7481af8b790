// Three encodings, in double, each from a case of the export.
#pragma once

#include <algorithm>

#include "tensor.hpp"

struct Case {
    std::string id, operation, dtype;
    std::map<std::string, std::string> params;  // the text after the kind
    std::map<std::string, Tensor> inputs, expected, bounds;
    bool refused = false;  // a call that must get an error

    std::int64_t integer(const std::string& name) const { return std::stoll(params.at(name)); }
    double real(const std::string& name) const { return decoded("float64", params.at(name)); }
};

inline Tensor slopes(const Case& asked) {
    const std::int64_t heads = asked.integer("num_heads"), first = asked.integer("head_start");
    const std::int64_t count = asked.params.at("head_count").empty() ? heads - first : asked.integer("head_count");
    std::int64_t power = 1;
    while (power <= heads / 2) power *= 2;
    Tensor out{"float32", {count}, {}, {}};
    for (std::int64_t k = first; k < first + count; k++) {
        const double place = k < power ? double(k + 1) / power : double(2 * (k - power) + 1) / (2 * power);
        out.values.push_back(std::exp2(-asked.real("bias_max") * place));
    }
    return out;
}

// The flat index of each element of `part`, seen from `whole`: axes from the right, those of size 1 standing still.
inline std::int64_t seen(std::int64_t index, const std::vector<std::int64_t>& whole, const std::vector<std::int64_t>& part) {
    std::int64_t at = 0, step = 1;
    for (std::size_t back = 1; back <= part.size(); back++) {
        const std::int64_t full = whole[whole.size() - back], own = part[part.size() - back];
        at += own == 1 ? 0 : index % full * step;
        step *= own;
        index /= full;
    }
    return at;
}

inline double at(const Tensor& positions, std::int64_t index) {
    return positions.is_float() ? positions.values[index] : static_cast<double>(positions.integers[index]);
}

inline Tensor rotated(const Case& asked) {
    const Tensor &x = asked.inputs.at("x"), &positions = asked.inputs.at("positions");
    const std::int64_t width = x.shape.back(), start = asked.integer("rotary_start");
    const std::int64_t pairs = asked.integer("rotary_dim") / 2;
    const bool half = asked.params.at("pairing") == "half";
#ifdef WRONG_BASE  // the twin: whatever is declared
    const double base = 10000.0;
#else
    const double base = asked.real("base");
#endif
    Tensor y = x;
    const std::vector<std::int64_t> tokens(x.shape.begin(), x.shape.end() - 1);
    for (std::int64_t row = 0; row < size_of(tokens); row++) {
        const double t = at(positions, seen(row, tokens, positions.shape));
        for (std::int64_t i = 0; i < pairs; i++) {
            const double angle = t * std::pow(base, -double(i) / pairs), c = std::cos(angle), s = std::sin(angle);
            const std::int64_t a = row * width + start + (half ? i : 2 * i), b = a + (half ? pairs : 1);
            y.values[a] = x.values[a] * c - x.values[b] * s;
            y.values[b] = x.values[a] * s + x.values[b] * c;
        }
    }
    return y;
}

// The larger of the leading axes of two shapes, from the right; the last axis of each is left out.
inline std::vector<std::int64_t> leading(const std::vector<std::int64_t>& q, const std::vector<std::int64_t>& k) {
    std::vector<std::int64_t> both(std::max(q.size(), k.size()) - 1);
    for (std::size_t back = 1; back <= both.size(); back++) {
        const std::int64_t one = back < q.size() ? q[q.size() - 1 - back] : 1;
        const std::int64_t other = back < k.size() ? k[k.size() - 1 - back] : 1;
        both[both.size() - back] = one == 1 ? other : one;
    }
    return both;
}

inline Tensor relative(const Case& asked) {
    const Tensor &q = asked.inputs.at("q_positions"), &k = asked.inputs.at("k_positions");
    const std::int64_t queries = q.shape.back(), keys = k.shape.back();
    const std::vector<std::int64_t> batch = leading(q.shape, k.shape);
    std::vector<std::int64_t> rows = batch, columns = batch;
    rows.push_back(queries);
    columns.push_back(keys);
    Tensor out{"int64", rows, {}, {}};
    out.shape.push_back(keys);
    for (std::int64_t index = 0; index < size_of(out.shape); index++) {
        const std::int64_t row = index / keys, column = row / queries * keys + index % keys;
        out.integers.push_back(k.integers[seen(column, columns, k.shape)] - q.integers[seen(row, rows, q.shape)]);
    }
    return out;
}
