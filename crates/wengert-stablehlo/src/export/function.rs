//! A function being written: numbering, lines, regions, and the equations of a program in order.

use super::text::{Joined, Short, Signature, Symbol, Ty, Types, Value};
use super::{Callee, Module, Operand, Values};
use crate::export::location::Location;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::{self, Display, Write};
use std::sync::Arc;
use wengert_core::ops::Custom;
use wengert_core::{Op, Place, Program, Result, Rules, Tensor, Type};

pub(super) struct Function<'m> {
    pub(super) module: &'m mut Module,
    pub(super) text: String,
    indent: usize,
    arguments: u32,
    results: u32,
    /// Where the op being written comes from.
    location: Location,
    /// Integer scalars that lie between two numbers.
    pub(super) ranges: FxHashMap<Value, (i64, i64)>,
    /// Constants that repeat one value.
    pub(super) repeated: FxHashMap<Value, Tensor>,
}

/// An argument of a function being written.
struct Parameter<'a> {
    ty: &'a Type,
    name: Option<&'a str>,
    /// Nothing; or which result may take its memory.
    attribute: String,
}

impl<'a> Parameter<'a> {
    /// One without a name, that is kept.
    fn of(ty: &'a Type) -> Parameter<'a> {
        Parameter { ty, name: None, attribute: String::new() }
    }
}

/// What a region computes from its arguments.
pub(super) type RegionBody<'a, 'm> = &'a dyn Fn(&mut Function<'m>, &[Value]) -> Result<Values>;

impl<'m> Function<'m> {
    fn new(module: &'m mut Module) -> Function<'m> {
        Function {
            module,
            text: String::new(),
            indent: 2,
            arguments: 0,
            results: 0,
            location: None,
            ranges: FxHashMap::default(),
            repeated: FxHashMap::default(),
        }
    }

    /// Writes the function that does what a program does.
    pub(super) fn program(
        module: &mut Module,
        visibility: &str,
        name: &str,
        program: &Program,
        donated: &[bool],
    ) -> Result<()> {
        let mut free: Vec<Option<&Type>> = program.outputs().iter().map(|&v| Some(program.ty(v))).collect();
        let mut attribute = |i: usize, ty: &Type| {
            if donated.get(i) != Some(&true) {
                return String::new();
            }
            match free.iter().position(|t| *t == Some(ty)) {
                Some(result) => {
                    free[result] = None;
                    format!(" {{tf.aliasing_output = {result} : i32}}")
                }
                None => " {jax.buffer_donor = true}".into(),
            }
        };
        let parameter = |(i, &v)| {
            let ty = program.ty(v);
            Parameter { ty, name: program.var_name(v), attribute: attribute(i, ty) }
        };
        let inputs: Vec<Parameter<'_>> = program.inputs().iter().enumerate().map(parameter).collect();
        let results: Vec<&Type> = program.outputs().iter().map(|&v| program.ty(v)).collect();
        Function::write(module, &format!("{visibility} {}", Symbol(name)), &inputs, &results, |f, args| {
            f.inline(program, args)
        })
    }

    /// Writes the function that does what an op does, with other ops.
    pub(super) fn lowered(module: &mut Module, name: &str, op: &Op, types: &[Type]) -> Result<()> {
        let inputs: Vec<Parameter<'_>> = types.iter().map(Parameter::of).collect();
        let results = op.result_types(types)?;
        let results: Vec<&Type> = results.iter().collect();
        Function::write(module, &format!("private {}", Symbol(name)), &inputs, &results, |f, args| {
            let x: Vec<Operand<'_>> = args.iter().zip(types).map(|(&value, ty)| Operand { value, ty }).collect();
            f.op_in_full(op, &x, &results)
        })
    }

    /// Writes a function with this visibility and name, these arguments and results.
    fn write(
        module: &mut Module,
        head: &str,
        inputs: &[Parameter<'_>],
        results: &[&Type],
        body: impl FnOnce(&mut Function<'_>, &[Value]) -> Result<Values>,
    ) -> Result<()> {
        let mut f = Function::new(module);
        let args: Vec<Value> = inputs.iter().map(|_| f.argument()).collect();
        f.put(format_args!("  func.func {head}("));
        for (i, (input, arg)) in inputs.iter().zip(&args).enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            f.put(format_args!("{comma}{arg}: {}{}", Ty(input.ty), input.attribute));
            f.locate(&Place::unknown(), input.name);
            f.write_location();
        }
        f.location = None;
        f.put(format_args!(") -> {} {{\n", Results(results)));
        let y = body(&mut f, &args)?;
        f.terminator("return", &y, results);
        f.text.push_str("  }\n");
        let text = f.text;
        module.functions.push_str(&text);
        Ok(())
    }

    /// Writes the function whose body a user's op gives.
    pub(super) fn custom(module: &mut Module, name: &str, op: &Custom, types: &[Type]) -> Result<()> {
        let results = op.infer(types)?;
        let functions = op.get().programs().into_iter().map(|p| module.function(Callee::Program(p.clone()), p.name()));
        let functions: Vec<String> = functions.map(|name| Symbol(&name).to_string()).collect();
        let body = op.get().stablehlo(types, &functions).expect("asked before")?;
        let args = types.iter().enumerate().map(|(i, t)| format!("%arg{i}: {}", Ty(t)));
        let results: Vec<&Type> = results.iter().collect();
        let head = format!("{}({}) -> {}", Symbol(name), Joined(args), Results(&results));
        writeln!(module.functions, "  func.func private {head} {{").expect("a string");
        for line in body.lines().filter(|l| !l.trim().is_empty()) {
            writeln!(module.functions, "    {}", line.trim_end()).expect("a string");
        }
        module.functions.push_str("  }\n");
        Ok(())
    }

    fn argument(&mut self) -> Value {
        self.arguments += 1;
        Value::Argument(self.arguments - 1)
    }

    fn locate(&mut self, place: &Place, name: Option<&str>) {
        self.location = match self.module.options.locations {
            true => self.module.locations.get(place, name),
            false => None,
        };
    }

    fn write_location(&mut self) {
        if let Some(n) = self.location {
            write!(self.text, " loc(#loc{n})").expect("a string");
        }
    }

    /// Writes some text.
    pub(super) fn put(&mut self, text: fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("a string");
    }

    fn indent(&mut self) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
    }

    /// Begins the line of an op with this many results.
    pub(super) fn begin(&mut self, results: usize) -> Values {
        self.indent();
        if results == 0 {
            return Values::new();
        }
        let n = self.results;
        self.results += 1;
        if results == 1 {
            self.put(format_args!("%{n} = "));
            return SmallVec::from_slice(&[Value::Result(n)]);
        }
        self.put(format_args!("%{n}:{results} = "));
        (0..results as u32).map(|part| Value::Part(n, part)).collect()
    }

    /// Ends the line of an op.
    pub(super) fn end(&mut self) {
        self.write_location();
        self.text.push('\n');
    }

    /// An op on one line.
    pub(super) fn many(&mut self, results: usize, op: fmt::Arguments<'_>) -> Values {
        let y = self.begin(results);
        self.put(op);
        self.end();
        y
    }

    /// An op with one result on one line.
    pub(super) fn one(&mut self, op: fmt::Arguments<'_>) -> Value {
        self.many(1, op)[0]
    }

    /// `stablehlo.name x, y, … : types`, with text after the operands.
    pub(super) fn plain(&mut self, name: &str, x: &[Operand<'_>], more: impl Display, y: &[&Type]) -> Values {
        let (values, from) = (operands(x), types(x));
        self.many(y.len(), format_args!("stablehlo.{name} {values}{more} : {}", Signature(&from, y)))
    }

    /// The same where the types are said in short if they are all one.
    pub(super) fn short(&mut self, name: &str, x: &[Operand<'_>], more: impl Display, y: &Type) -> Values {
        let (values, from, y) = (operands(x), types(x), [y]);
        self.many(1, format_args!("stablehlo.{name} {values}{more} : {}", Short(Signature(&from, &y))))
    }

    /// `"stablehlo.name"(x, y) <{attributes}> : types`.
    pub(super) fn generic(&mut self, name: &str, x: &[Operand<'_>], attributes: &str, y: &[&Type]) -> Values {
        let (values, from) = (operands(x), types(x));
        let signature = Signature(&from, y);
        self.many(y.len(), format_args!("\"stablehlo.{name}\"({values}) <{{{attributes}}}> : {signature}"))
    }

    /// A block between braces: what `body` writes for new arguments, which `head` introduces.
    pub(super) fn block(
        &mut self,
        arguments: &[&Type],
        head: impl FnOnce(&mut Self, &[Value]),
        body: impl FnOnce(&mut Self, &[Value]) -> Result<(Values, Vec<Type>)>,
    ) -> Result<()> {
        let args: Vec<Value> = arguments.iter().map(|_| self.argument()).collect();
        let location = self.location;
        head(self, &args);
        self.indent += 1;
        let (y, types) = body(self, &args)?;
        self.location = None;
        let types: Vec<&Type> = types.iter().collect();
        self.terminator("stablehlo.return", &y, &types);
        self.indent -= 1;
        self.indent();
        self.text.push('}');
        self.location = location;
        Ok(())
    }

    /// A block whose arguments stand inside it: `{ ^bb0(…): … }`.
    pub(super) fn region(
        &mut self,
        arguments: &[&Type],
        body: impl FnOnce(&mut Self, &[Value]) -> Result<(Values, Vec<Type>)>,
    ) -> Result<()> {
        let head = |f: &mut Self, args: &[Value]| {
            f.text.push_str("{\n");
            if !args.is_empty() {
                f.indent();
                let typed = args.iter().zip(arguments).map(|(a, t)| format!("{a}: {}", Ty(t)));
                f.put(format_args!("^bb0({}):\n", Joined(typed)));
            }
        };
        self.block(arguments, head, body)
    }

    /// An op in the generic form with one region of scalars for each `(arguments, results, body)`.
    pub(super) fn with_regions(
        &mut self,
        head: std::fmt::Arguments<'_>,
        signature: Signature<'_>,
        regions: &[(Vec<Type>, Vec<Type>, RegionBody<'_, 'm>)],
    ) -> Result<Values> {
        let z = self.begin(signature.1.len());
        self.put(head);
        self.text.push_str(" (");
        for (i, (arguments, results, body)) in regions.iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            let arguments: Vec<&Type> = arguments.iter().collect();
            self.region(&arguments, |f, args| Ok((body(f, args)?, results.clone())))?;
        }
        self.put(format_args!(") : {signature}"));
        self.end();
        Ok(z)
    }

    fn terminator(&mut self, name: &str, y: &[Value], types: &[&Type]) {
        self.indent();
        match y {
            [] => self.put(format_args!("{name}")),
            y => self.put(format_args!("{name} {} : {}", Joined(y), Types(types))),
        }
        self.end();
    }

    /// Starts a new line at the present depth.
    pub(super) fn line(&mut self) {
        self.text.push('\n');
        self.indent();
    }

    /// Writes the equations of a program, its inputs standing for `args`, and gives its outputs.
    pub(super) fn inline(&mut self, program: &Program, args: &[Value]) -> Result<Values> {
        let mut env: Vec<Option<Value>> = vec![None; program.var_count()];
        for (v, &a) in program.inputs().iter().zip(args) {
            env[v.index()] = Some(a);
        }
        let around = self.location;
        let read = |env: &[Option<Value>], v: wengert_core::Var| env[v.index()].expect("defined before use");
        let mut x: Vec<Operand<'_>> = Vec::new();
        for e in program.equations() {
            x.clear();
            x.extend(e.inputs.iter().map(|&v| Operand { value: read(&env, v), ty: program.ty(v) }));
            let types: SmallVec<[&Type; 2]> = e.outputs.iter().map(|&v| program.ty(v)).collect();
            let name = if let [v] = e.outputs[..] { program.var_name(v) } else { None };
            self.locate(&e.place, name);
            self.location = self.location.or(around);
            let y = self.op(&e.op, &x, &types).map_err(|err| err.at(e.place.clone()))?;
            for (v, y) in e.outputs.iter().zip(y) {
                env[v.index()] = Some(y);
            }
        }
        self.location = around;
        Ok(program.outputs().iter().map(|&v| read(&env, v)).collect())
    }

    /// The same for the operands of an op; with the types of the results.
    pub(super) fn inline_typed(&mut self, program: &Program, args: &[Value]) -> Result<(Values, Vec<Type>)> {
        Ok((self.inline(program, args)?, program.output_types()))
    }

    /// What a region takes from around it. A repeated constant is written again inside: it costs nothing there, and what
    /// reads the text back need not hand it in.
    pub(super) fn captured(&mut self, x: &[Operand<'_>], used: &[bool]) -> Vec<Value> {
        let one = |(x, &used): (&Operand<'_>, &bool)| match self.repeated.get(&x.value).cloned() {
            Some(constant) if used => self.constant(&constant),
            _ => x.value,
        };
        x.iter().zip(used).map(one).collect()
    }

    /// Calls a program as a function of its own.
    pub(super) fn call(&mut self, program: &Arc<Program>, wanted: &str, x: &[Operand<'_>]) -> Values {
        let name = self.module.function(Callee::Program(program.clone()), wanted);
        let y = program.output_types();
        self.call_function(&name, x, &y.iter().collect::<Vec<_>>())
    }

    /// Calls a function.
    pub(super) fn call_function(&mut self, name: &str, x: &[Operand<'_>], y: &[&Type]) -> Values {
        let (values, types) = (operands(x), types(x));
        self.many(y.len(), format_args!("func.call {}({values}) : {}", Symbol(name), Signature(&types, y)))
    }

    /// Writes an op as the program of simpler ops that it is.
    pub(super) fn expanded(&mut self, op: impl Into<Op>, x: &[Operand<'_>]) -> Result<Values> {
        let types: Vec<Type> = x.iter().map(|x| x.ty.clone()).collect();
        let op = op.into();
        let program = wengert_expand::expand(&op, &types).unwrap_or_else(|| {
            panic!("StableHLO lacks `{}`, and it has no expansion in `wengert-expand`", op.name())
        })?;
        self.inline(&program, &x.iter().map(|x| x.value).collect::<Values>())
    }

    /// Writes one op on these values.
    pub(super) fn apply(&mut self, op: impl Into<Op>, x: &[Operand<'_>]) -> Result<Values> {
        let op = op.into();
        let types: Vec<Type> = x.iter().map(|x| x.ty.clone()).collect();
        let results = op.result_types(&types)?;
        self.op(&op, x, &results.iter().collect::<Vec<_>>())
    }
}

/// The types a function gives: `tensor<f32>`, or none or several between parentheses.
struct Results<'a>(&'a [&'a Type]);

impl fmt::Display for Results<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [one] => Ty(one).fmt(f),
            many => write!(f, "({})", Types(many)),
        }
    }
}

/// The values of operands, separated by commas.
pub(super) fn operands(x: &[Operand<'_>]) -> String {
    Joined(x.iter().map(|x| x.value)).to_string()
}

/// The types of operands.
pub(super) fn types<'a>(x: &[Operand<'a>]) -> SmallVec<[&'a Type; 4]> {
    x.iter().map(|x| x.ty).collect()
}

/// Which inputs of a program any equation or output names.
pub(super) fn named_inputs(program: &Program) -> Vec<bool> {
    let mut used = vec![false; program.var_count()];
    program.equations().iter().flat_map(|e| &e.inputs).chain(program.outputs()).for_each(|v| used[v.index()] = true);
    program.inputs().iter().map(|v| used[v.index()]).collect()
}
