//! What is known of each fault: how it shows, the equations it needs, and the size of the program it is planted in.

use crate::noise::large;
use crate::plants::plant;
use wengert_repro::{BackendName, Case, Symptom};
use wengert_x86::faults::Fault;

/// The fault of this name.
pub fn by_name(name: &str) -> Option<Fault> {
    Fault::ALL.iter().copied().find(|f| f.name() == name)
}

/// How it shows.
pub fn symptom(fault: Fault) -> Symptom {
    let backend = |name: &str| name.parse::<BackendName>().expect("a backend");
    match fault {
        Fault::CrashOfClamp | Fault::AbortOfBranches => Symptom::Crash,
        Fault::PanicOfPad => Symptom::Error("hole of".parse().expect("a pattern")),
        Fault::LogisticOverflow => Symptom::NonFinite,
        Fault::HangOfArgReduce | Fault::SlowConstant => Symptom::SlowCompile(1.0),
        _ => Symptom::Differs { reference: backend("eval"), other: backend("cpu"), tolerance: 1e-3 },
    }
}

/// Whether it gives wrong numbers, always.
pub fn is_wrong_values(fault: Fault) -> bool {
    matches!(symptom(fault), Symptom::Differs { .. } | Symptom::NonFinite) && fault != Fault::FlakyProduct
}

/// The op that a fault of wrong numbers is in; of two that become one, the one that is rewritten.
pub fn faulty_op(fault: Fault) -> &'static str {
    match fault {
        Fault::AbsOfDoubles => "abs",
        Fault::UnsignedCompare => "compare",
        Fault::SelectOfBools | Fault::SelectOfSelect => "select",
        Fault::NarrowSigned => "add",
        Fault::NegatedSplat => "neg",
        Fault::PermutationOfRank4 => "transpose",
        Fault::ConcatenateOfThree => "concatenate",
        Fault::ReverseOfTwo => "reverse",
        Fault::OddReduction | Fault::FlakyProduct => "reduce",
        Fault::InPlaceHazard => "dynamic_update_slice",
        Fault::ThreeCarries => "scan",
        Fault::DynamicSliceClamp => "dynamic_slice",
        Fault::GatherPastTheEnd => "gather",
        Fault::DoubleRounding => "convert",
        Fault::LogisticOverflow => "logistic",
        Fault::DivisionByZero => "div",
        Fault::CrashOfClamp => "clamp",
        Fault::AbortOfBranches => "cond",
        Fault::PanicOfPad => "pad",
        Fault::HangOfArgReduce => "argreduce",
        Fault::SlowConstant => "constant",
        Fault::PaddingOfStrides => "convolution",
        Fault::ContractedDifference => "sub",
        Fault::ScaledTwice => "mul",
        Fault::SliceOfConcatenate => "slice",
        Fault::CumulativeBlock => "cumulative",
        Fault::UnstableSort => "sort",
        Fault::LongWhile => "while",
        Fault::OddTransposedProduct => "dot_general",
        Fault::LaneBeyond32768 => "sin",
        Fault::MaxOfBroadcast => "max",
    }
}

/// The smallest number of equations that show it.
pub fn need(fault: Fault) -> usize {
    match fault {
        // A constant alone.
        Fault::SlowConstant => 0,
        // Two ops that become one.
        Fault::NarrowSigned
        | Fault::NegatedSplat
        | Fault::ContractedDifference
        | Fault::ScaledTwice
        | Fault::SelectOfSelect
        | Fault::SliceOfConcatenate
        | Fault::MaxOfBroadcast
        // An update, and a use of the array that is updated.
        | Fault::InPlaceHazard => 2,
        // The loop, its condition, and what it counts.
        Fault::LongWhile => 3,
        _ => 1,
    }
}

/// A program of 300 to 3,000 equations in which it shows.
pub fn start(fault: Fault) -> Case {
    let sizes = [300, 400, 600, 1000, 1500, 2600];
    let slow = matches!(symptom(fault), Symptom::SlowCompile(_));
    let equations = if slow { 300 } else { sizes[fault as usize % sizes.len()] };
    large(equations, plant(fault))
}
