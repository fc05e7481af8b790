//! The flat wire: requests are read from standard input, each is answered on standard output.
//! With --wrong it is the twin that makes one mistake.

mod call;
mod encodings;
mod tensor;

use call::{Call, Failure};
use std::collections::HashMap;
use std::io::{self, Write};
use tensor::Tensor;

fn start() -> String {
    let mut text = String::from("name kernels\nlanguage Rust\nversion 1\n");
    for operation in call::OPERATIONS {
        text += &format!("operation {operation}\n");
    }
    for dtype in call::DTYPES {
        text += &format!("dtype {dtype}\nclaim {dtype} f64-angle\n");
    }
    text + "end 0\n"
}

type Lines = io::Lines<io::StdinLock<'static>>;

/// `input NAME DTYPE RANK AXES...`, then a line a row.
fn read_input(call: &mut Call, words: &[&str], lines: &mut Lines) -> io::Result<()> {
    let shape: Vec<usize> = words[4..]
        .iter()
        .map(|word| word.parse().expect("an axis"))
        .collect();
    let (count, _) = tensor::rows(&shape);
    let mut found = Tensor::empty(words[2], shape);
    for line in lines.take(count) {
        found.read_row(&line?);
    }
    call.inputs.insert(words[1].to_string(), found);
    Ok(())
}

/// `run SEQ TEST OPERATION DTYPE`, then lines up to `end SEQ`.
fn read_call(words: &[&str], lines: &mut Lines, wrong: bool) -> io::Result<Call> {
    let (operation, dtype) = (words[3].to_string(), words[4].to_string());
    let mut call = Call {
        operation,
        dtype,
        params: HashMap::new(),
        inputs: HashMap::new(),
        wrong,
    };
    while let Some(line) = lines.next().transpose()? {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "end" => break,
            "input" => read_input(&mut call, &words, lines)?,
            "param" => {
                let (kind, text) = (words[2].to_string(), words[3..].join(" "));
                call.params.insert(words[1].to_string(), (kind, text));
            }
            _ => {}
        }
    }
    Ok(call)
}

fn run(seq: &str, call: &Call) -> String {
    match call::answer(call) {
        Ok((name, output)) => format!("{}end {seq}\n", output.write(name)),
        Err(Failure::Refused(class, parameter)) => format!("error {seq} {class} {parameter}\n"),
        Err(Failure::Skipped(reason)) => format!("skipped {seq} {reason}\n"),
    }
}

fn main() -> io::Result<()> {
    let wrong = std::env::args().any(|word| word == "--wrong");
    let mut lines = io::stdin().lines();
    while let Some(line) = lines.next().transpose()? {
        let words: Vec<&str> = line.split(' ').collect();
        let reply = match words[0] {
            "start" => start(),
            "run" => run(words[1], &read_call(&words, &mut lines, wrong)?),
            _ => break,
        };
        io::stdout().write_all(reply.as_bytes())?;
        io::stdout().flush()?;
    }
    Ok(())
}
