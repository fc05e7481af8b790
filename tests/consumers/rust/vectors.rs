//! A flat export, read and judged: vectors EXPORT [--wrong]
//! Prints what is wrong, then the counts; exit code 1 if anything is.

#[allow(dead_code)]
mod call;
mod encodings;
#[allow(dead_code)]
mod tensor;

use call::{Call, Failure};
use std::collections::HashMap;
use std::io::{self, BufRead};
use tensor::{Tensor, Values};

/// What an export says of one call: the request, and what is wanted.
struct Case {
    id: String,
    call: Call,
    expected: HashMap<String, Tensor>,
    bounds: HashMap<String, Tensor>,
    refused: bool,
}

type Lines<'a> = dyn Iterator<Item = io::Result<String>> + 'a;

/// `input`, `expect` or `bound`, NAME DTYPE RANK AXES..., then a line a row.
fn read_tensor(words: &[&str], lines: &mut Lines) -> io::Result<(String, Tensor)> {
    let axes = words[4..].iter().map(|word| word.parse().expect("an axis"));
    let shape: Vec<usize> = axes.collect();
    let (count, _) = tensor::rows(&shape);
    let mut found = Tensor::empty(words[2], shape);
    for _ in 0..count {
        found.read_row(&lines.next().expect("a row")?);
    }
    Ok((words[1].to_string(), found))
}

/// The lines of a request up to `end`; what is not known is passed over.
fn read_case(head: &[&str], lines: &mut Lines, wrong: bool) -> io::Result<Case> {
    let (id, operation, dtype) = (
        head[2].to_string(),
        head[3].to_string(),
        head[4].to_string(),
    );
    let (params, inputs) = (HashMap::new(), HashMap::new());
    let call = Call {
        operation,
        dtype,
        params,
        inputs,
        wrong,
    };
    let (expected, bounds) = (HashMap::new(), HashMap::new());
    let mut case = Case {
        id,
        call,
        expected,
        bounds,
        refused: false,
    };
    while let Some(line) = lines.next().transpose()? {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "end" => break,
            "input" => case.call.inputs.extend([read_tensor(&words, lines)?]),
            "expect" => case.expected.extend([read_tensor(&words, lines)?]),
            "bound" => case.bounds.extend([read_tensor(&words, lines)?]),
            "param" => {
                let (kind, text) = (words[2].to_string(), words[3..].join(" "));
                case.call.params.insert(words[1].to_string(), (kind, text));
            }
            "error" => case.refused = true,
            _ => {}
        }
    }
    Ok(case)
}

/// Equal, or no farther away than the bound; `got` is rounded to float32 once, as a kernel would store it.
fn near(got: f64, want: f64, bound: f64) -> bool {
    let got = f64::from(got as f32);
    got == want || (got - want).abs() <= bound
}

/// The whole test of an output: the shape, then each element. What has no bound is exact.
fn right(got: &Tensor, want: &Tensor, bound: Option<&Tensor>) -> bool {
    if got.shape != want.shape {
        return false;
    }
    match (
        &got.values,
        &want.values,
        bound.map(|tensor| &tensor.values),
    ) {
        (Values::Integers(got), Values::Integers(want), _) => got == want,
        (Values::Floats(got), Values::Floats(want), Some(Values::Floats(bound))) => {
            (0..want.len()).all(|i| near(got[i], want[i], bound[i]))
        }
        _ => false,
    }
}

/// Whether the answer is right; None where the program cannot be asked.
fn judge(case: &Case) -> Option<bool> {
    match call::answer(&case.call) {
        Err(Failure::Skipped(_)) => None,
        Err(Failure::Refused(..)) => Some(case.refused),
        Ok(_) if case.refused => Some(false),
        Ok((name, output)) => Some(right(&output, &case.expected[name], case.bounds.get(name))),
    }
}

fn main() -> io::Result<()> {
    let path = std::env::args().nth(1).expect("the path of an export");
    let wrong = std::env::args().any(|word| word == "--wrong");
    let mut lines = io::BufReader::new(std::fs::File::open(path)?).lines();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    while let Some(line) = lines.next().transpose()? {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] != "run" {
            continue;
        }
        let case = read_case(&words, &mut lines, wrong)?;
        match judge(&case) {
            Some(true) => passed += 1,
            Some(false) => {
                failed += 1;
                println!("wrong: {}", case.id);
            }
            None => skipped += 1,
        }
    }
    println!("{passed} right, {failed} wrong, {skipped} skipped");
    std::process::exit(if failed > 0 || passed == 0 { 1 } else { 0 });
}
