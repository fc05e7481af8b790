//! Calls by name: arguments are checked, outputs are tensors.

use crate::encodings::{self, Pairing};
use crate::tensor::{self, Tensor, Values};
use std::collections::HashMap;

pub const OPERATIONS: [&str; 4] = [
    "rope.inv_freq",
    "rope.apply",
    "alibi.slopes",
    "positions.relative",
];
pub const DTYPES: [&str; 3] = ["float64", "float32", "bfloat16"];
const FAR: i64 = 1 << 53;

pub enum Failure {
    Refused(&'static str, &'static str),
    Skipped(&'static str),
}
use Failure::{Refused, Skipped};

type Checked<T> = Result<T, Failure>;

/// A parameter is its kind and its text, as on the wire.
pub struct Call {
    pub operation: String,
    pub dtype: String,
    pub params: HashMap<String, (String, String)>,
    pub inputs: HashMap<String, Tensor>,
    pub wrong: bool,
}

impl Call {
    fn given(&self, name: &str) -> bool {
        self.params
            .get(name)
            .is_some_and(|(kind, _)| kind != "null")
    }

    fn of_kind(&self, name: &'static str, wanted: &str) -> Checked<&str> {
        match self.params.get(name) {
            Some((kind, text)) if kind == wanted => Ok(text),
            Some((kind, _)) if kind != "null" => Err(Refused("INVALID_PARAMETER", name)),
            _ => Err(Refused("MISSING_PARAMETER", name)),
        }
    }

    fn integer(&self, name: &'static str, least: i64) -> Checked<i64> {
        let value = self
            .of_kind(name, "integer")?
            .parse()
            .ok()
            .filter(|value| *value >= least);
        value.ok_or(Refused("INVALID_PARAMETER", name))
    }

    fn real(&self, name: &'static str, above: f64) -> Checked<f64> {
        let bits = u64::from_str_radix(self.of_kind(name, "real")?, 16).expect("sixteen digits");
        let value = f64::from_bits(bits);
        if value.is_finite() && value > above {
            Ok(value)
        } else {
            Err(Refused("INVALID_PARAMETER", name))
        }
    }

    fn pairs(&self) -> Checked<usize> {
        let width = self.integer("rotary_dim", 2)?;
        if width % 2 != 0 {
            return Err(Refused("INVALID_PARAMETER", "rotary_dim"));
        }
        if width > 1 << 24 {
            Err(Skipped("too wide for this program"))
        } else {
            Ok(width as usize / 2)
        }
    }

    fn pairing(&self) -> Checked<Pairing> {
        match self.of_kind("pairing", "choice")? {
            "adjacent" => Ok(Pairing::Adjacent),
            "half" => Ok(Pairing::Half),
            _ => Err(Refused("INVALID_PARAMETER", "pairing")),
        }
    }

    /// An input with at least so many axes, the first of which may be empty.
    fn input(&self, name: &'static str, named: usize) -> Checked<&Tensor> {
        let found = self
            .inputs
            .get(name)
            .ok_or(Refused("INVALID_SHAPE", name))?;
        let empty = |axis: usize| found.shape[axis] == 0 && axis + named != found.shape.len();
        if found.shape.len() < named || (0..found.shape.len()).any(empty) {
            return Err(Refused("INVALID_SHAPE", name));
        }
        match &found.values {
            Values::Floats(values) if !values.iter().all(|value| value.is_finite()) => {
                Err(Refused("INVALID_PARAMETER", name))
            }
            _ => Ok(found),
        }
    }

    fn main_input(&self, name: &'static str) -> Checked<(&Tensor, Vec<f64>)> {
        let found = self.inputs.get(name).filter(|one| one.dtype == self.dtype);
        found.ok_or(Refused("INVALID_DTYPE", name))?;
        let found = self.input(name, 2)?;
        match &found.values {
            Values::Floats(values) => Ok((found, values.clone())),
            Values::Integers(_) => Err(Refused("INVALID_DTYPE", name)),
        }
    }

    /// Positions as integers, of at most 2^53 in size.
    fn positions(&self, name: &'static str) -> Checked<(&Tensor, &[i64])> {
        let found = self.inputs.get(name).filter(|one| one.dtype == "int64");
        found.ok_or(Refused("INVALID_DTYPE", name))?;
        let found = self.input(name, 1)?;
        match &found.values {
            Values::Integers(values)
                if values
                    .iter()
                    .all(|value| value.unsigned_abs() <= FAR as u64) =>
            {
                Ok((found, values))
            }
            _ => Err(Refused("OUT_OF_RANGE", name)),
        }
    }

    /// Positions that may be fractions.
    fn real_positions(&self, name: &'static str) -> Checked<(&Tensor, Vec<f64>)> {
        match self.inputs.get(name) {
            Some(found) if found.is_float() => {
                let Values::Floats(values) = &self.input(name, 1)?.values else {
                    unreachable!()
                };
                let near = values.iter().all(|value| value.abs() <= FAR as f64);
                if near {
                    Ok((found, values.clone()))
                } else {
                    Err(Refused("OUT_OF_RANGE", name))
                }
            }
            _ => {
                let (found, values) = self.positions(name)?;
                Ok((found, values.iter().map(|value| *value as f64).collect()))
            }
        }
    }
}

/// Whether leading axes broadcast into others.
fn fits(own: &[usize], onto: &[usize]) -> bool {
    own.len() <= onto.len()
        && own
            .iter()
            .rev()
            .zip(onto.iter().rev())
            .all(|(a, b)| *a == 1 || a == b)
}

/// Which of its leading entries a tensor with these leading axes shows at a leading index of others.
fn shown(own: &[usize], onto: &[usize], mut index: usize) -> usize {
    let (mut found, mut stride) = (0, 1);
    for (size, all) in own.iter().rev().zip(onto.iter().rev()) {
        if *size > 1 {
            found += index % all * stride;
        }
        index /= all;
        stride *= size;
    }
    found
}

/// What the leading axes of queries and keys broadcast to.
fn met(one: &[usize], other: &[usize]) -> Checked<Vec<usize>> {
    let count = one.len().max(other.len());
    let size = |shape: &[usize], i: usize| {
        if i < shape.len() {
            shape[shape.len() - 1 - i]
        } else {
            1
        }
    };
    (0..count)
        .rev()
        .map(|i| match (size(one, i), size(other, i)) {
            (a, b) if a == b || b == 1 => Ok(a),
            (1, b) => Ok(b),
            _ => Err(Refused("INVALID_SHAPE", "k_positions")),
        })
        .collect()
}

type Output = (&'static str, Tensor);

/// An output of floats; what overflows its dtype is refused, naming where the dtype came from.
fn output(
    call: &Call,
    name: &'static str,
    shape: Vec<usize>,
    values: Vec<f64>,
    fault: &'static str,
) -> Checked<Output> {
    if !values.iter().all(|value| tensor::fits(&call.dtype, *value)) {
        return Err(Refused("OUT_OF_RANGE", fault));
    }
    Ok((
        name,
        Tensor {
            dtype: call.dtype.clone(),
            shape,
            values: Values::Floats(values),
        },
    ))
}

fn inv_freq(call: &Call) -> Checked<Output> {
    let (pairs, base) = (call.pairs()?, call.real("base", 1.0)?);
    output(
        call,
        "inv_freq",
        vec![pairs],
        encodings::frequencies(pairs, base),
        "dtype",
    )
}

fn apply(call: &Call) -> Checked<Output> {
    if call
        .params
        .iter()
        .any(|(name, (kind, _))| name.starts_with("scaling") && kind != "null")
    {
        return Err(Skipped("context extension is not offered"));
    }
    let (pairs, start) = (call.pairs()?, call.integer("rotary_start", 0)? as usize);
    let (base, pairing) = (call.real("base", 1.0)?, call.pairing()?);
    if call.given("seq_len") {
        call.integer("seq_len", 1)?;
    }
    let (x, mut values) = call.main_input("x")?;
    let (at, positions) = call.real_positions("positions")?;
    let (onto, last) = x.shape.split_at(x.shape.len() - 2);
    let (own, row) = at.shape.split_at(at.shape.len() - 1);
    let (tokens, width) = (last[0], last[1]);
    if row[0] != tokens || !fits(own, onto) {
        return Err(Refused("INVALID_SHAPE", "positions"));
    }
    if start > width || 2 * pairs > width - start {
        return Err(Refused("INVALID_SHAPE", "rotary_dim"));
    }
    let ladder = encodings::frequencies(pairs, base);
    for (n, row) in values.chunks_mut(width).enumerate() {
        let position = positions[shown(own, onto, n / tokens) * tokens + n % tokens];
        encodings::rotate(row, start, position, &ladder, pairing);
    }
    output(call, "y", x.shape.clone(), values, "x")
}

fn slopes(call: &Call) -> Checked<Output> {
    let (heads, start) = (
        call.integer("num_heads", 1)?,
        call.integer("head_start", 0)?,
    );
    let bias_max = call.real("bias_max", 0.0)?;
    if start >= heads {
        return Err(Refused("INVALID_PARAMETER", "head_start"));
    }
    let count = if call.given("head_count") {
        call.integer("head_count", 1)?
    } else {
        heads - start
    };
    if count > heads - start {
        return Err(Refused("INVALID_PARAMETER", "head_count"));
    }
    let slope = |k| encodings::slope(k, heads, bias_max, call.wrong);
    output(
        call,
        "slopes",
        vec![count as usize],
        (start..start + count).map(slope).collect(),
        "dtype",
    )
}

fn relative(call: &Call) -> Checked<Output> {
    let ((q, queries), (k, keys)) = (
        call.positions("q_positions")?,
        call.positions("k_positions")?,
    );
    let (q_own, q_row) = q.shape.split_at(q.shape.len() - 1);
    let (k_own, k_row) = k.shape.split_at(k.shape.len() - 1);
    let mut shape = met(q_own, k_own)?;
    let mut values = vec![];
    for index in 0..shape.iter().product() {
        let (i, j) = (
            shown(q_own, &shape, index) * q_row[0],
            shown(k_own, &shape, index) * k_row[0],
        );
        for query in &queries[i..i + q_row[0]] {
            values.extend(keys[j..j + k_row[0]].iter().map(|key| key - query));
        }
    }
    shape.extend([q_row[0], k_row[0]]);
    Ok((
        "relative_position",
        Tensor {
            dtype: "int64".to_string(),
            shape,
            values: Values::Integers(values),
        },
    ))
}

pub fn answer(call: &Call) -> Checked<Output> {
    match call.operation.as_str() {
        "rope.inv_freq" => inv_freq(call),
        "rope.apply" => apply(call),
        "alibi.slopes" => slopes(call),
        "positions.relative" => relative(call),
        _ => Err(Skipped("this operation is not offered")),
    }
}
