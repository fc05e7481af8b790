//! Tensors, and the bits of their elements.

use std::fmt::Write;

pub enum Values {
    Floats(Vec<f64>),
    Integers(Vec<i64>),
}

pub struct Tensor {
    pub dtype: String,
    pub shape: Vec<usize>,
    pub values: Values,
}

/// The number of rows and the length of each: a row is the innermost axis.
pub fn rows(shape: &[usize]) -> (usize, usize) {
    let size: usize = shape.iter().product();
    let width = *shape.last().unwrap_or(&1);
    if size == 0 {
        (0, 0)
    } else {
        (size / width, width)
    }
}

impl Tensor {
    pub fn empty(dtype: &str, shape: Vec<usize>) -> Tensor {
        let integer = dtype == "int64" || dtype == "bool";
        let values = if integer {
            Values::Integers(vec![])
        } else {
            Values::Floats(vec![])
        };
        Tensor {
            dtype: dtype.to_string(),
            shape,
            values,
        }
    }

    pub fn is_float(&self) -> bool {
        matches!(self.values, Values::Floats(_))
    }

    /// Add the words of one row.
    pub fn read_row(&mut self, line: &str) {
        let hexadecimal = |word| u64::from_str_radix(word, 16).expect("a word of digits");
        for word in line.split(' ') {
            match &mut self.values {
                Values::Integers(values) => values.push(word.parse().expect("an integer")),
                Values::Floats(values) => values.push(match self.dtype.as_str() {
                    "float64" => f64::from_bits(hexadecimal(word)),
                    "float32" => f32::from_bits(hexadecimal(word) as u32) as f64,
                    _ => f32::from_bits((hexadecimal(word) as u32) << 16) as f64,
                }),
            }
        }
    }

    /// The lines of an output.
    pub fn write(&self, name: &str) -> String {
        let mut text = format!("output {name} {} {}", self.dtype, self.shape.len());
        for size in &self.shape {
            write!(text, " {size}").unwrap();
        }
        let (count, width) = rows(&self.shape);
        for i in 0..count * width {
            text.push(if i % width == 0 { '\n' } else { ' ' });
            match &self.values {
                Values::Integers(values) => write!(text, "{}", values[i]).unwrap(),
                Values::Floats(values) => text.push_str(&digits(&self.dtype, values[i])),
            }
        }
        text + "\n"
    }
}

/// The bits of a value, rounded to its dtype once.
fn digits(dtype: &str, value: f64) -> String {
    match dtype {
        "float64" => format!("{:016x}", value.to_bits()),
        "float32" => format!("{:08x}", (value as f32).to_bits()),
        _ => format!("{:04x}", bfloat16(value)),
    }
}

/// Round to bfloat16. On the way through f32 an inexact value gets an odd last bit, so that no tie is made up.
fn bfloat16(value: f64) -> u16 {
    let near = value as f32;
    let mut bits = near.to_bits();
    if near as f64 != value {
        if (near as f64).abs() > value.abs() {
            bits -= 1;
        }
        bits |= 1;
    }
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// Whether a finite value stays finite in its dtype.
pub fn fits(dtype: &str, value: f64) -> bool {
    match dtype {
        "float64" => true,
        "float32" => (value as f32).is_finite(),
        _ => bfloat16(value) & 0x7fff < 0x7f80,
    }
}
