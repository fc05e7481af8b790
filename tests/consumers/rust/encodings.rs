//! Positional encodings on f64, one row at a time.

#[derive(Clone, Copy, PartialEq)]
pub enum Pairing {
    Adjacent,
    Half,
}

pub fn frequencies(pairs: usize, base: f64) -> Vec<f64> {
    (0..pairs)
        .map(|i| base.powf(-(i as f64) / pairs as f64))
        .collect()
}

/// Turn the pairs of `row` from `start` on, in place, by the angles of a position.
pub fn rotate(row: &mut [f64], start: usize, position: f64, frequencies: &[f64], pairing: Pairing) {
    let pairs = frequencies.len();
    let slice = &mut row[start..start + 2 * pairs];
    for (i, frequency) in frequencies.iter().enumerate() {
        let (a, b) = match pairing {
            Pairing::Adjacent => (2 * i, 2 * i + 1),
            Pairing::Half => (i, i + pairs),
        };
        let (sin, cos) = (position * frequency).sin_cos();
        let (u, w) = (slice[a], slice[b]);
        slice[a] = u * cos - w * sin;
        slice[b] = u * sin + w * cos;
    }
}

/// The slope of head `k`, counted from 0. The twin takes the sentence of the paper for every count.
pub fn slope(k: i64, heads: i64, bias_max: f64, wrong: bool) -> f64 {
    let power = if wrong { heads } else { 1 << heads.ilog2() };
    let share = if k < power {
        (k + 1) as f64 / power as f64
    } else {
        (2 * (k - power) + 1) as f64 / (2 * power) as f64
    };
    (-bias_max * share).exp2()
}
