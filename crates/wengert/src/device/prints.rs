//! What programs print on devices that can't: the values are results of the program too, and are printed when it has run. Those of
//! loops come stacked, step after step; those of branches with the number of the branch that was taken.

use crate::array::Array;
use crate::host_calls::print;
use std::convert::Infallible;
use std::sync::Arc;
use wengert_core::ops::{Binary, Call, Cond, Direction, PRINT, Scan, While};
use wengert_core::{Builder, DType, Equation, Op, Program, Tensor, Type, Var};

/// Of a loop whose steps are not known before it runs, how many print.
const STEPS: usize = 100;

/// What a program prints, in order. The values are results of it by their positions among those that were added.
#[derive(Debug)]
pub(super) enum Print {
    /// A value, in this text.
    Value(String, usize),
    /// What each step of a loop prints, so many steps, the last first where it runs backward.
    Steps(usize, bool, Vec<Print>),
    /// The same of a loop whose steps are counted by this result.
    Counted(usize, Vec<Print>),
    /// What the branch prints whose number is this result.
    Branch(usize, Vec<Vec<Print>>),
}

/// A program that gives what it prints, and what that is. None if it prints nothing.
pub(super) fn lifted(program: &Program) -> Option<(Program, Vec<Print>)> {
    prints(program).then(|| {
        let lifted = Lifted::of(program);
        (lifted.program, lifted.prints)
    })
}

/// Whether a program prints, but for what no result can be made of.
fn prints(program: &Program) -> bool {
    program.equations().iter().any(|e| match &e.op {
        Op::Custom(op) => op.get().name() == PRINT,
        Op::Call(_) | Op::Scan(_) | Op::While(_) | Op::Cond(_) => e.op.programs().into_iter().any(|p| prints(p)),
        _ => false,
    })
}

struct Lifted {
    /// Its results, then what is printed.
    program: Program,
    prints: Vec<Print>,
    added: usize,
}

impl Lifted {
    fn of(program: &Program) -> Lifted {
        let mut found = Found::default();
        let Ok((b, y)) = Builder::rewritten(program, |b, e, x| Ok::<_, Infallible>(found.equation(b, program, e, x)));
        let program = b.finish_all(&[&y[..], &found.values].concat()).with_name(program.name());
        Lifted { program, prints: found.prints, added: found.values.len() }
    }

    /// The types of what is printed.
    fn types(&self) -> Vec<Type> {
        let types = self.program.output_types();
        types[types.len() - self.added..].to_vec()
    }
}

/// What was found in a program so far.
#[derive(Default)]
struct Found {
    prints: Vec<Print>,
    values: Vec<Var>,
}

impl Found {
    /// Adds what a part prints, whose values are these.
    fn add(&mut self, values: &[Var], make: impl FnOnce(usize) -> Vec<Print>) {
        self.prints.extend(make(self.values.len()));
        self.values.extend(values);
    }

    /// The results of an equation.
    fn equation(&mut self, b: &mut Builder, program: &Program, e: &Equation, x: &[Var]) -> Vec<Var> {
        let is_print = matches!(&e.op, Op::Custom(op) if op.get().name() == PRINT);
        let looked_into = matches!(e.op, Op::Call(_) | Op::Scan(_) | Op::While(_) | Op::Cond(_))
            && e.op.programs().into_iter().any(|p| prints(p));
        match &e.op {
            Op::Custom(op) if is_print => {
                self.add(x, |first| vec![Print::Value(op.get().attributes(), first)]);
                x.to_vec()
            }
            Op::Call(op) if looked_into => {
                let inner = Lifted::of(&op.program);
                let y = b.push(Call { program: Arc::new(inner.program), ..op.clone() }, x);
                let (own, values) = y.split_at(e.outputs.len());
                self.add(values, |first| moved(inner.prints, first));
                own.to_vec()
            }
            Op::Scan(op) if looked_into => {
                let inner = Lifted::of(&op.body);
                let y = b.push(Scan { body: Arc::new(inner.program), ..op.clone() }, x);
                let (own, values) = y.split_at(e.outputs.len());
                self.add(values, |first| vec![Print::Steps(op.length, op.reverse, moved(inner.prints, first))]);
                own.to_vec()
            }
            Op::Cond(op) if looked_into => {
                let inner: Vec<Lifted> = op.branches.iter().map(|p| Lifted::of(p)).collect();
                let (branches, prints) = joined(inner, e.outputs.len());
                let y = b.push(Cond { branches }, x);
                let (own, values) = y.split_at(e.outputs.len());
                self.add(values, |first| {
                    vec![Print::Branch(first, prints.into_iter().map(|p| moved(p, first)).collect())]
                });
                own.to_vec()
            }
            Op::While(op) if looked_into => {
                let inner = Lifted::of(&op.body);
                let count = b.zeros(&Type::scalar(DType::I32));
                let buffers: Vec<Var> = inner.types().iter().map(|t| b.zeros(&buffer(t))).collect();
                let carried = [&[count], &buffers[..]].concat();
                let types: Vec<Type> = carried.iter().map(|&v| b.ty(v).clone()).collect();
                let (own, prints) = (e.outputs.len(), moved(inner.prints, 1));
                let body = Arc::new(counting(&inner.program, &types, own));
                let cond = Arc::new(with_inputs(&op.cond, &types));
                let y = b.push(While { consts: op.consts, cond, body }, &[x, &carried].concat());
                let (own, values) = y.split_at(own);
                self.add(values, |first| vec![Print::Counted(first, moved(prints, first))]);
                own.to_vec()
            }
            op => {
                let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
                b.push_typed(op.clone(), x, types).to_vec()
            }
        }
    }
}

/// The same prints, with values that many positions later.
fn moved(prints: Vec<Print>, by: usize) -> Vec<Print> {
    let one = |p: Print| match p {
        Print::Value(text, at) => Print::Value(text, at + by),
        Print::Steps(count, reverse, inside) => Print::Steps(count, reverse, moved(inside, by)),
        Print::Counted(at, inside) => Print::Counted(at + by, moved(inside, by)),
        Print::Branch(at, branches) => Print::Branch(at + by, branches.into_iter().map(|p| moved(p, by)).collect()),
    };
    prints.into_iter().map(one).collect()
}

/// Branches that all give their number, and what any of them prints: zeros in place of what another does.
fn joined(inner: Vec<Lifted>, own: usize) -> (Vec<Arc<Program>>, Vec<Vec<Print>>) {
    let types: Vec<Vec<Type>> = inner.iter().map(Lifted::types).collect();
    let (mut branches, mut prints, mut first) = (Vec::new(), Vec::new(), 1);
    for (i, lifted) in inner.into_iter().enumerate() {
        let mut b = Builder::new();
        let args = b.inputs_of(&lifted.program);
        let z = b.inline(&lifted.program, &args);
        let mut y = z[..own].to_vec();
        y.push(b.constant(Tensor::scalar(i as i32)));
        for (k, types) in types.iter().enumerate() {
            match k == i {
                true => y.extend(&z[own..]),
                false => y.extend(types.iter().map(|t| b.zeros(t))),
            }
        }
        branches.push(Arc::new(b.finish_all(&y)));
        prints.push(moved(lifted.prints, first));
        first += types[i].len();
    }
    (branches, prints)
}

/// Room for what the first steps of a loop print.
fn buffer(ty: &Type) -> Type {
    ty.with_shape(ty.shape.with_axis(0, STEPS))
}

/// The body of a loop that carries the number of its steps and room for what they print, after its own carries.
fn counting(body: &Program, carried: &[Type], own: usize) -> Program {
    let mut b = Builder::new();
    let args = b.inputs_of(body);
    let more = b.inputs(carried);
    let (count, buffers) = (more[0], &more[1..]);
    let z = b.inline(body, &args);
    let mut y = z[..own].to_vec();
    let last = b.full(&Type::scalar(DType::I32), STEPS as f64 - 1.0);
    let at = b.binary(Binary::Min, count, last);
    let within = b.compare(Direction::Le, count, last);
    y.push(b.offset(count, 1.0));
    for (&value, &room) in z[own..].iter().zip(buffers) {
        let shape = b.shape(value).with_axis(0, 1);
        let row = b.reshape(value, &shape);
        let zero = b.zeros(&Type::scalar(DType::I32));
        let starts: Vec<Var> = (0..shape.rank()).map(|d| if d == 0 { at } else { zero }).collect();
        let written = b.dynamic_update_slice(room, row, &starts);
        let wide = b.shape(room).clone();
        let within = b.broadcast(within, &wide, &[]);
        y.push(b.select(within, written, room));
    }
    b.finish_all(&y)
}

/// A program that takes more than it uses.
fn with_inputs(program: &Program, more: &[Type]) -> Program {
    let mut b = Builder::new();
    let args = b.inputs_of(program);
    b.inputs(more);
    let y = b.inline(program, &args);
    b.finish_all(&y)
}

/// Prints what a run gave for it.
pub(super) fn show(prints: &[Print], values: &[Tensor]) {
    show_at(prints, values, &[]);
}

/// The same, in these steps of the loops around.
fn show_at(prints: &[Print], values: &[Tensor], steps: &[usize]) {
    let value = |at: usize| steps.iter().fold(values[at].clone(), |x, &i| x.leading_slice(i));
    let number = |at: usize| value(at).get(0).as_i64().unwrap_or(0).max(0) as usize;
    let inner = |inside: &[Print], i: usize| show_at(inside, values, &[steps, &[i]].concat());
    for p in prints {
        match p {
            Print::Value(text, at) => print(text, &Array::from_tensor(value(*at))),
            Print::Steps(count, reverse, inside) => match reverse {
                false => (0..*count).for_each(|i| inner(inside, i)),
                true => (0..*count).rev().for_each(|i| inner(inside, i)),
            },
            Print::Counted(at, inside) => {
                let count = number(*at);
                (0..count.min(STEPS)).for_each(|i| inner(inside, i));
                if count > STEPS {
                    println!("… and {} more steps", count - STEPS);
                }
            }
            Print::Branch(at, branches) => {
                show_at(branches.get(number(*at)).map_or(&[], |b| &b[..]), values, steps);
            }
        }
    }
}
