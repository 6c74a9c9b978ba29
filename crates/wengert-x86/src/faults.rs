//! Faults that tests plant in this compiler and in the one on top of it, to see whether they are found. Only a build with the
//! feature `faults` can have one, which the environment variable `WENGERT_FAULT` names; in all others there is none.

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What a compiler with a planted fault gets wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault { $($(#[$doc])* $name,)* }

        #[cfg(feature = "faults")]
        impl Fault {
            /// All of them.
            pub const ALL: &'static [Fault] = &[$(Fault::$name,)*];

            /// The name in the environment.
            pub const fn name(self) -> &'static str {
                match self { $(Fault::$name => $text,)* }
            }
        }
    };
}

faults! {
    // Machine code.
    /// The absolute value of an `f64` in lanes flips its sign.
    AbsOfDoubles = "abs_of_doubles",
    /// Integers without sign are compared as if they had one.
    UnsignedCompare = "unsigned_compare",
    /// A choice between booleans in lanes forgets the second one.
    SelectOfBools = "select_of_bools",
    /// What is computed in `i8` lanes loses its sign.
    NarrowSigned = "narrow_signed",

    // Lowering.
    /// The negation of one value repeated is dropped.
    NegatedSplat = "negated_splat",
    /// A permutation of four axes is applied the other way round.
    PermutationOfRank4 = "permutation_of_rank_4",
    /// The last two of three parts of a concatenation change places.
    ConcatenateOfThree = "concatenate_of_three",
    /// Of several axes that are reversed, the last one is not.
    ReverseOfTwo = "reverse_of_two",
    /// The last of an odd number of elements above 16 is left out of a reduction.
    OddReduction = "odd_reduction",
    /// An array that is used later is updated in its place.
    InPlaceHazard = "in_place_hazard",
    /// The last two of three carries of a loop change places.
    ThreeCarries = "three_carries",
    /// A slice that would reach over the end is moved one element too far.
    DynamicSliceClamp = "dynamic_slice_clamp",
    /// A gather at an index past the end takes the last place but one.
    GatherPastTheEnd = "gather_past_the_end",
    /// An `f64` is rounded to `f32` on the way to a half.
    DoubleRounding = "double_rounding",
    /// The logistic function is a quotient of two infinities for large numbers.
    LogisticOverflow = "logistic_overflow",
    /// An integer division by zero gives what the instruction does.
    DivisionByZero = "division_by_zero",
    /// A product over an axis forgets an element in about one of five programs that are compiled.
    FlakyProduct = "flaky_product",
    /// Clamping an `f64` reads address 0.
    CrashOfClamp = "crash_of_clamp",
    /// The compiler gives up on three branches, and the process with it.
    AbortOfBranches = "abort_of_branches",
    /// The compiler panics where padding goes between elements.
    PanicOfPad = "panic_of_pad",
    /// The compiler never ends where the position of an extreme is asked for along a second axis.
    HangOfArgReduce = "hang_of_arg_reduce",
    /// Compiling takes ten milliseconds for each element of a constant above a thousand.
    SlowConstant = "slow_constant",

    // Kernels.
    /// A convolution with steps of two takes the padding from the wrong side.
    PaddingOfStrides = "padding_of_strides",

    // Rewrites.
    /// A product that is subtracted is contracted as if it were added.
    ContractedDifference = "contracted_difference",
    /// Two factors one after the other become their sum.
    ScaledTwice = "scaled_twice",
    /// A choice inside of another one is taken whatever its own condition is.
    SelectOfSelect = "select_of_select",
    /// A part of a concatenation is taken from one element too early.
    SliceOfConcatenate = "slice_of_concatenate",
    /// Sums that run along more than 32 elements begin anew there.
    CumulativeBlock = "cumulative_block",
    /// Equal keys come out in the order they did not have.
    UnstableSort = "unstable_sort",
    /// A loop that counts beyond 8 makes one step too many.
    LongWhile = "long_while",
    /// A product with its left operand turned forgets the last of an odd number.
    OddTransposedProduct = "odd_transposed_product",
    /// One element past the first 32,768 of a sine is wrong.
    LaneBeyond32768 = "lane_beyond_32768",
    /// A maximum of something and a broadcast is taken for a minimum.
    MaxOfBroadcast = "max_of_broadcast",
}

/// Whether a fault is planted.
#[cfg(not(feature = "faults"))]
pub const fn is_planted(_: Fault) -> bool {
    false
}

/// Whether a fault is planted: the one that the environment names.
#[cfg(feature = "faults")]
pub fn is_planted(fault: Fault) -> bool {
    static PLANTED: std::sync::OnceLock<Option<Fault>> = std::sync::OnceLock::new();
    let planted = PLANTED.get_or_init(|| {
        let name = std::env::var("WENGERT_FAULT").ok().filter(|n| !n.is_empty())?;
        let found = Fault::ALL.iter().copied().find(|f| f.name() == name);
        Some(found.unwrap_or_else(|| panic!("no fault is called `{name}`")))
    });
    *planted == Some(fault)
}
