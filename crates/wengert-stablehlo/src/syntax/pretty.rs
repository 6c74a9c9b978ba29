//! The short forms that operations have of their own. Most are made of the same pieces in some order; what these are
//! called in the quoted form is in [`NAMES`]. The few that are not like others are read by functions of their own.

use super::attr::{Attr, Named};
use super::cursor::Cursor;
use super::operation::{Argument, Operation, Region};
use super::types::Signature;
use std::borrow::Cow;
use wengert_core::{Result, counted};

/// What `name = value` in a short form is in the quoted form: operation (without its dialect), short name, name.
const NAMES: &[(&str, &str, &str)] = &[
    ("broadcast_in_dim", "dims", "broadcast_dimensions"),
    ("dynamic_broadcast_in_dim", "dims", "broadcast_dimensions"),
    ("transpose", "dims", "permutation"),
    ("reverse", "dims", "dimensions"),
    ("iota", "dim", "iota_dimension"),
    ("dynamic_iota", "dim", "iota_dimension"),
    ("einsum", "config", "einsum_config"),
    ("unary_einsum", "config", "einsum_config"),
    ("concatenate", "dim", "dimension"),
    ("get_dimension_size", "dim", "dimension"),
    ("set_dimension_size", "dim", "dimension"),
    ("dynamic_slice", "sizes", "slice_sizes"),
    ("pad", "low", "edge_padding_low"),
    ("pad", "high", "edge_padding_high"),
    ("pad", "interior", "interior_padding"),
    ("broadcast", "sizes", "broadcast_sizes"),
    ("dot", "precision", "precision_config"),
    ("dot_general", "precision", "precision_config"),
    ("fft", "type", "fft_type"),
    ("fft", "length", "fft_length"),
    ("rng", "distribution", "rng_distribution"),
    ("rng_bit_generator", "algorithm", "rng_algorithm"),
    ("reduce", "dimensions", "dimensions"),
];

/// Dialects whose operations are read.
const DIALECTS: [&str; 5] = ["stablehlo", "chlo", "func", "builtin", "sdy"];

fn named<'a>(name: &'static str, value: Attr<'a>) -> Named<'a> {
    (Cow::Borrowed(name), value)
}

impl<'a> Cursor<'a> {
    /// What follows the name of an operation in its short form.
    pub fn pretty(&mut self, op: &mut Operation<'a>) -> Result<()> {
        let Some((dialect, name)) = op.name.split_once('.') else {
            return Err(self.error_at(op.at, format!("expected an operation, found `{}`", op.name)));
        };
        if !DIALECTS.contains(&dialect) {
            return Err(self.not_supported(op.at, op.name));
        }
        match op.name {
            "builtin.module" => return self.module(op),
            "func.func" => return self.function(op),
            "stablehlo.while" => return self.while_loop(op),
            "stablehlo.reduce" => return self.reduce(op),
            "stablehlo.constant" | "chlo.constant" => return self.constant(op),
            _ => (),
        }
        let mut words = Vec::new();
        loop {
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'%') => op.operands.push(self.operand()?),
                Some(b'(') => {
                    self.at += 1;
                    // Operands, and sometimes attributes among them.
                    self.items(")", |p| {
                        match p.peek() {
                            Some(b'%') => op.operands.push(p.operand()?),
                            _ => p.named_piece(name, op, &mut Vec::new())?,
                        }
                        Ok(())
                    })?;
                }
                Some(b'@') => op.attributes.push(named("callee", Attr::Symbol(self.symbol()?))),
                Some(b'"') => op.attributes.push(named("name", Attr::Text(self.string()?))),
                Some(b'[') if name == "slice" => self.ranges(op)?,
                Some(b'[') if name == "get_tuple_element" => op.attributes.push(named("index", self.attr(false)?)),
                Some(b'{') => op.attributes.extend(self.dict()?),
                Some(b'<') => {
                    self.at += 1;
                    self.skip_balanced()?;
                }
                Some(b'=') if dialect == "sdy" => self.at += 1,
                Some(b':') => {
                    self.at += 1;
                    op.signature = self.signature()?;
                    break;
                }
                // The next operation, or the end of the region.
                _ if self.next_is("loc") || !self.piece_is_next(name) => break,
                _ => self.named_piece(name, op, &mut words)?,
            }
        }
        if !op.results.is_empty() && matches!(op.signature, Signature::None) {
            return Err(self.expected("`:` and types"));
        }
        if name == "compare" {
            for (word, key) in words.into_iter().zip(["comparison_direction", "compare_type"]) {
                op.attributes.push(named(key, Attr::Word(word)));
            }
        }
        Ok(())
    }

    /// Whether a word belongs to this operation, and is not the next one.
    fn piece_is_next(&mut self, op: &str) -> bool {
        let at = self.position();
        let word = self.word();
        let next = self.peek();
        self.at = at;
        word.is_some_and(|w| {
            next == Some(b'=') || op == "compare" && !w.contains('.') && matches!(next, Some(b',' | b':'))
        })
    }

    /// `name = value`, or a word by itself.
    fn named_piece(&mut self, op_name: &str, op: &mut Operation<'a>, words: &mut Vec<&'a str>) -> Result<()> {
        let at = self.position();
        let word = self.name("an operand or an attribute")?;
        if !self.accept("=") {
            words.push(word);
            return Ok(());
        }
        match (op_name, word) {
            ("dot_general", "contracting_dims") => self.dot_pair(op, "contracting"),
            ("dot_general", "batching_dims") => self.dot_pair(op, "batching"),
            ("convolution" | "dynamic_conv", "dim_numbers") => {
                let dims = self.conv_dimensions()?;
                op.attributes.push(named("dimension_numbers", dims));
                Ok(())
            }
            ("convolution" | "dynamic_conv", "window") => {
                for (name, value) in self.dict()? {
                    let name = match &*name {
                        "stride" => "window_strides",
                        "pad" => "padding",
                        "lhs_dilate" => "lhs_dilation",
                        "rhs_dilate" => "rhs_dilation",
                        "reverse" => "window_reversal",
                        _ => return Err(self.error_at(at, format!("a window has no `{name}`"))),
                    };
                    op.attributes.push(named(name, value));
                }
                Ok(())
            }
            ("reduce_precision", "format") => {
                let at = self.position();
                let format = self.name("a format such as e5m10")?;
                let parts = format.strip_prefix('e').and_then(|f| f.split_once('m'));
                let parts = parts.and_then(|(e, m)| Some((e.parse::<u32>().ok()?, m.parse::<u32>().ok()?)));
                let Some((e, m)) = parts else {
                    return Err(self.error_at(at, "expected a format such as e5m10"));
                };
                op.attributes.push(named("exponent_bits", Attr::Int(e.into())));
                op.attributes.push(named("mantissa_bits", Attr::Int(m.into())));
                Ok(())
            }
            ("dot_general", "algorithm") => {
                self.expect("<")?;
                self.skip_balanced()?;
                Ok(())
            }
            _ => {
                let known = NAMES.iter().find(|(o, short, _)| *o == op_name && *short == word);
                let name = known.map_or(word, |(.., name)| name);
                let value = self.attr(false)?;
                op.attributes.push((name.into(), value));
                Ok(())
            }
        }
    }

    /// `[…] x […]`: axes of the left and of the right.
    fn dot_pair(&mut self, op: &mut Operation<'a>, kind: &str) -> Result<()> {
        let left = self.attr(false)?;
        self.expect("x")?;
        let right = self.attr(false)?;
        let fields = [("lhs", left), ("rhs", right)];
        let fields = fields.map(|(side, dims)| (format!("{side}_{kind}_dimensions").into(), dims));
        match op.attributes.iter_mut().find(|(n, _)| n == "dot_dimension_numbers") {
            Some((_, Attr::Dict(d))) => d.extend(fields),
            _ => op.attributes.push(named("dot_dimension_numbers", Attr::Dict(fields.into()))),
        }
        Ok(())
    }

    /// `[start:limit:stride, …]`.
    fn ranges(&mut self, op: &mut Operation<'a>) -> Result<()> {
        self.expect("[")?;
        let ranges = self.items("]", |p| {
            let start = p.integer::<i64>()?;
            p.expect(":")?;
            let limit = p.integer::<i64>()?;
            let stride = if p.accept(":") { p.integer::<i64>()? } else { 1 };
            Ok([start, limit, stride])
        })?;
        for (i, name) in ["start_indices", "limit_indices", "strides"].into_iter().enumerate() {
            let list = ranges.iter().map(|r| Attr::Int(r[i].into())).collect();
            op.attributes.push(named(name, Attr::List(list)));
        }
        Ok(())
    }

    /// `dense<…> : type`.
    fn constant(&mut self, op: &mut Operation<'a>) -> Result<()> {
        if self.peek() == Some(b'{') {
            op.attributes.extend(self.dict()?);
        }
        let word = self.name("`dense`")?;
        if !matches!(word, "dense" | "dense_resource") {
            return Err(self.unsupported_at(op.at, format!("a constant written `{word}` is not supported")));
        }
        let dense = self.dense(word)?;
        op.signature = Signature::Plain(vec![dense.ty.clone()]);
        op.attributes.push(named("value", Attr::Dense(dense)));
        Ok(())
    }

    /// `(%x = %start, …) : types cond {…} do {…}`.
    fn while_loop(&mut self, op: &mut Operation<'a>) -> Result<()> {
        self.expect("(")?;
        let mut names = Vec::new();
        op.operands = self.items(")", |p| {
            let at = p.position();
            names.push((at, p.suffix("%", "a loop variable")?));
            p.expect("=")?;
            p.operand()
        })?;
        let mut types = Vec::new();
        if self.accept(":") {
            types.push(self.ty()?);
            while self.accept(",") {
                types.push(self.ty()?);
            }
        }
        if types.len() != names.len() {
            let m = format!("the loop has {} and {}", counted(names.len(), "variable"), counted(types.len(), "type"));
            return Err(self.error_at(op.at, m));
        }
        if self.accept("attributes") {
            op.attributes.extend(self.dict()?);
        }
        let arguments: Vec<_> = (names.into_iter().zip(&types))
            .map(|((at, name), ty)| Argument {
                at,
                name,
                ty: ty.clone(),
                attributes: Vec::new(),
                loc: Default::default(),
            })
            .collect();
        op.signature = Signature::Plain(types);
        self.expect("cond")?;
        let cond = self.region(arguments.clone())?;
        self.expect("do")?;
        op.regions = vec![cond, self.region(arguments)?];
        Ok(())
    }

    /// `(%x init: %y), … applies op across dimensions = […] : types`, or with `reducer(…) {…}` after the types.
    fn reduce(&mut self, op: &mut Operation<'a>) -> Result<()> {
        let mut starts = Vec::new();
        loop {
            self.expect("(")?;
            op.operands.push(self.operand()?);
            self.expect("init")?;
            self.expect(":")?;
            starts.push(self.operand()?);
            self.expect(")")?;
            if !self.accept(",") {
                break;
            }
        }
        op.operands.append(&mut starts);
        if self.accept("applies") {
            op.attributes.push(named("applies", Attr::Word(self.name("an operation")?)));
        }
        self.expect("across")?;
        self.expect("dimensions")?;
        self.expect("=")?;
        let dims = self.attr(false)?;
        op.attributes.push(named("dimensions", dims));
        if self.peek() == Some(b'{') {
            op.attributes.extend(self.dict()?);
        }
        self.expect(":")?;
        op.signature = self.signature()?;
        if op.attribute("applies").is_some() {
            return Ok(());
        }
        // The location of the operation stands before its region.
        op.loc = self.optional_location()?;
        self.expect("reducer")?;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while self.accept("(") {
            left.push(self.argument()?);
            self.expect(",")?;
            right.push(self.argument()?);
            self.expect(")")?;
        }
        left.append(&mut right);
        let region = self.region(left)?;
        op.regions.push(region);
        Ok(())
    }

    /// `@name attributes {…} { operations }`.
    fn module(&mut self, op: &mut Operation<'a>) -> Result<()> {
        if self.peek() == Some(b'@') {
            op.attributes.push(named("sym_name", Attr::Symbol(self.symbol()?)));
        }
        if self.accept("attributes") {
            op.attributes.extend(self.dict()?);
        }
        op.regions.push(self.region(Vec::new())?);
        Ok(())
    }

    /// `public @name(%arg0: type {…}, …) -> (type {…}, …) attributes {…} { operations }`.
    fn function(&mut self, op: &mut Operation<'a>) -> Result<()> {
        for word in ["public", "private", "nested"] {
            self.accept(word);
        }
        op.attributes.push(named("sym_name", Attr::Symbol(self.symbol()?)));
        self.expect("(")?;
        let mut types = Vec::new();
        let arguments = self.items(")", |p| {
            // A function declared and not defined has types alone.
            if p.peek() != Some(b'%') {
                types.push(p.ty()?);
                return Ok(None);
            }
            let argument = p.argument()?;
            types.push(argument.ty.clone());
            Ok(Some(argument))
        })?;
        let mut results = Vec::new();
        if self.accept("->") {
            if self.accept("(") {
                results = self.items(")", |p| {
                    let ty = p.ty()?;
                    if p.peek() == Some(b'{') {
                        p.dict()?;
                    }
                    Ok(ty)
                })?;
            } else {
                results.push(self.ty()?);
            }
        }
        op.signature = Signature::Function(types, results);
        if self.accept("attributes") {
            op.attributes.extend(self.dict()?);
        }
        if self.peek() == Some(b'{') {
            let Region { arguments, operations } = self.region(arguments.into_iter().flatten().collect())?;
            op.regions.push(Region { arguments, operations });
        }
        Ok(())
    }
}
