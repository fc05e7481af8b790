// Tensors of a flat export: the bits of their elements, and the comparison with a bound.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <istream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Tensor {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::vector<double> values;          // floats, of whatever width
    std::vector<std::int64_t> integers;  // int64, and 0 and 1 for bool

    bool is_float() const { return dtype != "int64" && dtype != "bool"; }
};

// The rows of a shape, and how long each is; no rows where an axis is 0.
inline std::int64_t size_of(const std::vector<std::int64_t>& shape) {
    std::int64_t size = 1;
    for (std::int64_t axis : shape) size *= axis;
    return size;
}

// A number from its bits. bfloat16 is the upper half of float32.
inline double decoded(const std::string& dtype, const std::string& digits) {
    const std::uint64_t bits = std::stoull(digits, nullptr, 16);
    if (dtype == "float64") {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (dtype != "float32" && dtype != "bfloat16") throw std::runtime_error("no float16 here");
    const auto word = static_cast<std::uint32_t>(dtype == "float32" ? bits : bits << 16);
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

// `NAME DTYPE RANK AXES...` to the end of the line, then a line a row.
inline std::pair<std::string, Tensor> read_tensor(std::istream& from) {
    std::string name, word;
    Tensor found;
    int rank = 0;
    from >> name >> found.dtype >> rank;
    found.shape.resize(rank);
    for (std::int64_t& axis : found.shape) from >> axis;
    for (std::int64_t left = size_of(found.shape); left > 0; left--) {
        from >> word;
        if (found.is_float()) found.values.push_back(decoded(found.dtype, word));
        else found.integers.push_back(std::stoll(word));
    }
    return {name, found};
}

// The whole test of an output: the shape, then each element. What has no bound is exact.
inline bool right(const Tensor& got, const Tensor& want, const Tensor* bound) {
    if (got.shape != want.shape || got.integers != want.integers) return false;
    for (std::size_t i = 0; i < want.values.size(); i++) {
        const double allowed = bound ? bound->values[i] : 0.0;
        if (got.values[i] != want.values[i] && !(std::fabs(got.values[i] - want.values[i]) <= allowed)) return false;
    }
    return true;
}
