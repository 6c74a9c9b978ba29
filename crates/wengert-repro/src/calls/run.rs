//! Runs the functions of a call tree with the library, as what is emitted of them would: each transform is called on the
//! functions it is given.

use std::sync::Arc;
use wengert::repro;
use wengert::{
    Array, Axes, Linear, Pullback, ScanOptions, checkpoint, cond, custom_jvp, custom_vjp, grad, hessian, hvp, jacfwd,
    jacrev, jit, jvp, keep, lax, linearize, make_program, scan_with, value_and_grad, vjp, vmap, where_, while_loop,
};
use wengert_core::ops::{CallKind, Scan};
use wengert_core::{Op, Tensor};
use wengert_emit::{CallTree, Derivatives, Does, FunctionId, OwnCall, Step, Transform, VariableId};

type Args = (Vec<Array>,);

/// What a variable of a function is.
#[derive(Clone)]
enum Value {
    Array(Array),
    Pullback(Arc<Pullback<Args, Vec<Array>>>),
    Linear(Arc<Linear<Args, Vec<Array>>>),
}

/// How a run of calls ends.
pub(super) enum End {
    /// With an error or a panic.
    Failed(String),
    /// As it should.
    Well,
    /// It has something that is not run here.
    Refused(String),
}

/// How the outermost function ends on these inputs.
pub(super) fn run(tree: &CallTree, inputs: &[Tensor]) -> End {
    let given: Vec<Array> = inputs.iter().map(|x| Array::from_tensor(x.clone())).collect();
    match repro::failure_of(|| drop(Runner { tree }.arrays(tree.functions.len() - 1, given))) {
        None => End::Well,
        Some(message) => match message.strip_prefix(REFUSED) {
            Some(what) => End::Refused(what.to_string()),
            None => End::Failed(message),
        },
    }
}

/// What begins the message of what is not run here, which is no failure of the run.
const REFUSED: &str = "\u{1}not run here: ";

/// Ends the run at what has no form here.
fn refuse(what: &str) -> ! {
    panic!("{REFUSED}{what}")
}

#[derive(Clone, Copy)]
struct Runner<'t> {
    tree: &'t CallTree,
}

impl Runner<'_> {
    /// A function of arrays.
    fn arrays(self, id: FunctionId, given: Vec<Array>) -> Vec<Array> {
        arrays_of(self.call(id, given.into_iter().map(Value::Array).collect()))
    }

    fn call(self, id: FunctionId, given: Vec<Value>) -> Vec<Value> {
        let f = &self.tree.functions[id];
        let mut values: Vec<Option<Value>> = vec![None; f.variables.len()];
        f.parameters.iter().zip(given).for_each(|(&p, x)| values[p] = Some(x));
        let of = |values: &[Option<Value>], v: VariableId| match &values[v] {
            Some(x) => x.clone(),
            None => refuse("what was not computed"),
        };
        for step in &f.steps {
            let x = step.operands.iter().map(|&v| of(&values, v)).collect();
            step.results.iter().zip(self.step(step, x)).for_each(|(&v, y)| values[v] = Some(y));
        }
        f.results.iter().map(|&v| of(&values, v)).collect()
    }

    fn step(self, step: &Step, mut x: Vec<Value>) -> Vec<Value> {
        let found = match &step.does {
            Does::Primitive(op, inside) => self.primitive(op, inside, x),
            Does::Call(id) => return self.call(*id, x),
            Does::Returned(by) => {
                let function = x.remove(0);
                match (by, function) {
                    (Transform::Vjp, Value::Pullback(f)) => f.pull(arrays_of(x)).0,
                    (_, Value::Linear(f)) => f.apply((arrays_of(x),)),
                    _ => refuse("an array that is called"),
                }
            }
            Does::Own(call) => vec![own(call, &arrays_of(x))],
            Does::Raise(message) => repro::raise(message),
            Does::Recorded(op) => refuse(&op.name),
            Does::Caught(id, _) => {
                repro::failure_of(|| drop(self.call(*id, x)));
                Vec::new()
            }
            Does::Transform { by, function, held } => {
                let held = x.split_off(x.len() - held);
                return self.transform(by, *function, &held, arrays_of(x));
            }
        };
        found.into_iter().map(Value::Array).collect()
    }

    /// A function of what it holds first, and of these.
    fn holding(self, id: FunctionId, held: &[Value], x: Vec<Array>) -> Vec<Array> {
        arrays_of(self.call(id, held.iter().cloned().chain(x.into_iter().map(Value::Array)).collect()))
    }

    fn primitive(self, op: &Op, inside: &[FunctionId], mut x: Vec<Value>) -> Vec<Array> {
        let consts = match op {
            Op::Scan(o) => o.consts,
            Op::While(o) => o.consts,
            _ => 0,
        };
        let rest = x.split_off(consts);
        let (held, x) = (x, arrays_of(rest));
        match op {
            Op::Call(o) if o.kind == CallKind::Staged => jit(|x: Vec<Array>| self.arrays(inside[0], x))(x),
            Op::Call(_) => checkpoint(|x: Vec<Array>| self.arrays(inside[0], x))(x),
            Op::Scan(o) => self.scan(o, inside[0], &held, x),
            Op::While(_) => {
                let test = |c: Vec<Array>| self.holding(inside[0], &held, c).remove(0);
                while_loop(test, |c: Vec<Array>| self.holding(inside[1], &held, c), x)
            }
            Op::Cond(_) if inside.len() == 2 && x[0].dtype() == wengert_core::DType::Bool => {
                let branch = |i: usize| move |x: Vec<Array>| self.arrays(inside[i], x);
                cond(x[0].clone(), branch(1), branch(0), x[1..].to_vec())
            }
            Op::Cond(_) => {
                let branches: Vec<_> = inside.iter().map(|&id| move |x: Vec<Array>| self.arrays(id, x)).collect();
                let branches: Vec<&dyn Fn(Vec<Array>) -> Vec<Array>> = branches.iter().map(|f| f as _).collect();
                lax::case(&x[0], &branches, x[1..].to_vec())
            }
            Op::CustomJvp(_) => self.custom_jvp(inside[0], inside[1], x),
            Op::CustomVjp(_) => self.custom_vjp(inside, x),
            Op::LinearSolve(_) | Op::Root(_) => {
                let mut ids = inside.iter();
                let op = op.map_programs(&mut |_| Arc::new(self.program(*ids.next().expect("one each"))));
                repro::apply(op, &x)
            }
            op => repro::apply(op.clone(), &x),
        }
    }

    fn scan(self, o: &Scan, id: FunctionId, held: &[Value], x: Vec<Array>) -> Vec<Array> {
        let (carried, walked) = x.split_at(o.carries);
        let options = ScanOptions { length: Some(o.length), reverse: o.reverse, ..Default::default() };
        let step = |c: Vec<Array>, x: Vec<Array>| {
            let mut next = self.holding(id, held, [c, x].concat());
            let ys = next.split_off(o.carries.min(next.len()));
            (next, ys)
        };
        let (last, ys) = scan_with(&options, step, carried.to_vec(), walked.to_vec());
        [last, ys].concat()
    }

    /// Of the parameters or the results of a function, which have derivatives.
    fn moves(self, id: FunctionId, of: impl Fn(&wengert_emit::Function) -> &Vec<VariableId>) -> Vec<bool> {
        let f = &self.tree.functions[id];
        of(f).iter().map(|&v| f.variables[v].ty.dtype.is_differentiable()).collect()
    }

    fn custom_jvp(self, id: FunctionId, rule: FunctionId, x: Vec<Array>) -> Vec<Array> {
        let (takes, gives) = (self.moves(id, |f| &f.parameters), self.moves(id, |f| &f.results));
        let rule = |(x,): Args, (dx,): Args| {
            let tangents = dx.into_iter().zip(&takes).filter(|(_, moves)| **moves).map(|(t, _)| t);
            let mut y = self.arrays(rule, x.into_iter().chain(tangents).collect());
            let mut given = y.split_off(gives.len().min(y.len())).into_iter();
            let place = |(y, moves): (&Array, &bool)| if *moves { given.next() } else { Some(y.clone()) };
            let dy = y.iter().zip(&gives).filter_map(place).collect();
            (y, dy)
        };
        custom_jvp(|x: Vec<Array>| self.arrays(id, x), rule)(x)
    }

    fn custom_vjp(self, inside: &[FunctionId], x: Vec<Array>) -> Vec<Array> {
        let &[id, forward, backward] = inside else { refuse("a rule without a part") };
        let (takes, gives) = (self.moves(id, |f| &f.parameters), self.moves(id, |f| &f.results));
        let ahead = |(x,): Args| {
            let mut y = self.arrays(forward, x.clone());
            let kept = y.split_off(gives.len().min(y.len()));
            (y, (kept, x))
        };
        let back = |(kept, x): (Vec<Array>, Vec<Array>), ct: Vec<Array>| {
            let moving = ct.into_iter().zip(&gives).filter(|(_, moves)| **moves).map(|(t, _)| t);
            let mut own = self.arrays(backward, kept.into_iter().chain(moving).collect()).into_iter();
            let place = |(x, moves): (Array, &bool)| if *moves { own.next() } else { Some(x) };
            (x.into_iter().zip(&takes).filter_map(place).collect(),)
        };
        custom_vjp(|x: Vec<Array>| self.arrays(id, x), ahead, back)(x)
    }

    /// A function as a program: what an op holds.
    fn program(self, id: FunctionId) -> wengert_core::Program {
        let f = &self.tree.functions[id];
        let zero = |&v: &VariableId| Array::zeros(&f.variables[v].ty.shape[..], f.variables[v].ty.dtype);
        make_program(|x: Vec<Array>| self.arrays(id, x), (f.parameters.iter().map(zero).collect(),))
    }

    fn transform(self, by: &Transform, id: FunctionId, held: &[Value], mut x: Vec<Array>) -> Vec<Value> {
        let f = |x: Vec<Array>| {
            arrays_of(self.call(id, x.into_iter().map(Value::Array).chain(held.iter().cloned()).collect()))
        };
        let one = |x: Vec<Array>| f(x).into_iter().next().unwrap_or_else(|| refuse("a function without a result"));
        let found = match by {
            Transform::Jit => jit(f)(x),
            Transform::Grad { wrt, value } => {
                let rest = x.split_off(*wrt);
                let count = self.tree.functions[id].gives();
                match (count, value) {
                    (1, false) => grad(|x: Vec<Array>, rest: Vec<Array>| one([x, rest].concat()))(x, rest),
                    (1, true) => {
                        let f = |x: Vec<Array>, rest: Vec<Array>| one([x, rest].concat());
                        let (y, slopes) = value_and_grad(f)(x, rest);
                        [vec![y], slopes].concat()
                    }
                    _ => {
                        let f = |x: Vec<Array>, rest: Vec<Array>| {
                            let mut y = f([x, rest].concat());
                            let aux = y.split_off(1);
                            (y.remove(0), aux)
                        };
                        let ((y, aux), slopes) = value_and_grad(f)(x, rest);
                        if *value { [vec![y], aux, slopes].concat() } else { slopes }
                    }
                }
            }
            Transform::Jvp => {
                let dx = x.split_off(x.len() / 2);
                let (y, dy) = jvp(f, (x,), (dx,));
                [y, dy].concat()
            }
            Transform::Hvp => {
                let v = x.split_off(x.len() / 2);
                hvp(one, x, v)
            }
            Transform::Vjp => {
                let (y, back) = vjp(f, (x,));
                let y = y.into_iter().map(Value::Array);
                return y.chain([Value::Pullback(Arc::new(back))]).collect();
            }
            Transform::Linearize => {
                let (y, linear) = linearize(f, (x,));
                let y = y.into_iter().map(Value::Array);
                return y.chain([Value::Linear(Arc::new(linear))]).collect();
            }
            Transform::Jacobian { by, wrt, holomorphic } => {
                let rest = x.split_off(*wrt);
                let f = |x: Vec<Array>, rest: Vec<Array>| f([x, rest].concat());
                let flat = |rows: Vec<Vec<Array>>| rows.concat();
                match (by, holomorphic) {
                    (Derivatives::Forward, false) => flat(jacfwd(f)(x, rest)),
                    (Derivatives::Forward, true) => flat(jacfwd(f).holomorphic()(x, rest)),
                    (Derivatives::Reverse, false) => flat(jacrev(f)(x, rest)),
                    (Derivatives::Reverse, true) => flat(jacrev(f).holomorphic()(x, rest)),
                    (Derivatives::Second, false) => flat(hessian(f)(x, rest).concat()),
                    (Derivatives::Second, true) => flat(hessian(f).holomorphic()(x, rest).concat()),
                }
            }
            Transform::Vmap { in_axes, out_axis, out_axes, size, name } => {
                let axis = |a: &Option<usize>| a.map(|a| a as isize);
                let paths: Vec<String> = (0..in_axes.len()).map(|i| format!("0.{i}")).collect();
                let places: Vec<String> = (0..out_axes.len()).map(|i| i.to_string()).collect();
                let mut batched = vmap(f).in_axes_at(paths.iter().map(String::as_str).zip(in_axes.iter().map(axis)));
                batched = match out_axes.is_empty() {
                    true => batched.out_axis(*out_axis as isize),
                    false => batched.out_axes_at(places.iter().map(String::as_str).zip(out_axes.iter().map(axis))),
                };
                if let Some(name) = name {
                    batched = batched.axis_name(name);
                }
                if let Some(size) = size {
                    batched = batched.axis_size(*size);
                }
                batched(x)
            }
        };
        found.into_iter().map(Value::Array).collect()
    }
}

/// One of our functions that are made of ops.
fn own(call: &OwnCall, x: &[Array]) -> Array {
    let along = || call.plain.as_deref().and_then(axes).unwrap_or_else(|| refuse("what is along these axes"));
    match (call.function.name, x) {
        ("add", [x, y]) => x + y,
        ("sub", [x, y]) => x - y,
        ("mul", [x, y]) => x * y,
        ("div", [x, y]) => x / y,
        ("matmul", [x, y]) => x.matmul(y),
        ("dot", [x, y]) => x.dot(y),
        ("eq", [x, y]) => x.eq(y),
        ("ne", [x, y]) => x.ne(y),
        ("lt", [x, y]) => x.lt(y),
        ("le", [x, y]) => x.le(y),
        ("gt", [x, y]) => x.gt(y),
        ("ge", [x, y]) => x.ge(y),
        ("where_", [p, x, y]) => where_(p, x, y),
        ("sum", [x]) => x.sum(along()),
        ("prod", [x]) => x.prod(along()),
        ("max", [x]) => x.max(along()),
        ("min", [x]) => x.min(along()),
        ("all", [x]) => x.all(along()),
        ("any", [x]) => x.any(along()),
        ("mean", [x]) => x.mean(along()),
        ("var", [x]) => x.var(along()),
        ("std", [x]) => x.std(along()),
        ("logsumexp", [x]) => x.logsumexp(along()),
        ("softmax", [x]) => x.softmax(along()),
        ("log_softmax", [x]) => x.log_softmax(along()),
        (name, _) => refuse(name),
    }
}

/// Axes as they are written: `-1`, `[0, 2]`, `..`, `keep(1)`.
fn axes(text: &str) -> Option<Axes> {
    if let Some(inner) = text.strip_prefix("keep(").and_then(|t| t.strip_suffix(')')) {
        return axes(inner).map(keep);
    }
    if text == ".." {
        return Some(Axes::from(..));
    }
    let list = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let all: Option<Vec<isize>> = list.split(", ").map(|n| n.parse().ok()).collect();
    all.map(Axes::from)
}

/// Arrays alone: of branches and solvers, no functions that a transform gave are held here.
fn arrays_of(values: Vec<Value>) -> Vec<Array> {
    let array = |x| match x {
        Value::Array(x) => x,
        Value::Pullback(_) | Value::Linear(_) => refuse("a function that holds one of a transform"),
    };
    values.into_iter().map(array).collect()
}
