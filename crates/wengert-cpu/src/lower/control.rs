//! Loops and branches of a program, as those of a function.
//!
//! What a loop carries are scalars where it is small, and memory that stays in place where it is not: a step that can
//! write the next value over the last one does.

use super::Lowering;
use super::form::{Base, Form, Memory, Scalars, kind};
use wengert_core::ops::{Cond, Scan, While};
use wengert_core::{Program, Type};
use wengert_kernel::{Address, Compare, Inst, Kind, Value};
use wengert_x86::faults::{Fault, is_planted};

/// What a loop carries: as scalars of its block, or in memory.
struct Carried {
    types: Vec<Type>,
    /// For each, its place; none if it is scalars.
    places: Vec<Option<Memory>>,
    /// The scalars that the loop starts with.
    start: Vec<Value>,
    /// The scalars inside of the block.
    inside: Vec<Value>,
}

impl Carried {
    /// What is carried as forms: in memory that may be overwritten or not, and as these scalars.
    fn forms(&self, scalars: &[Value], writable: bool) -> Vec<Form> {
        let mut rest = scalars;
        let each = self.types.iter().zip(&self.places).map(|(ty, place)| match place {
            Some(place) if writable => Form::memory(ty.clone(), place.owned()),
            Some(place) => Form::memory(ty.clone(), place.clone()),
            None => {
                let (own, after) = rest.split_at(ty.shape.size());
                rest = after;
                Form::each(ty.clone(), own.to_vec())
            }
        });
        each.collect()
    }
}

impl Lowering {
    /// Makes room for what is carried, and puts its start there.
    fn carry(&mut self, start: Vec<Form>) -> Carried {
        let mut carried = Carried { types: Vec::new(), places: Vec::new(), start: Vec::new(), inside: Vec::new() };
        for form in start {
            let ty = form.ty.clone();
            if self.is_small(&ty) {
                for v in self.scalars(&form) {
                    carried.start.push(v);
                    carried.inside.push(self.b.value(self.b.kind(v)));
                }
                carried.places.push(None);
            } else {
                let place = match &form.memory {
                    Some(m) if m.is_alone() && form.scalars.is_none() => {
                        self.overwrite(m);
                        m.clone()
                    }
                    _ => {
                        let room = self.room_of(carried.types.len(), &ty);
                        self.put(&form, &room);
                        room
                    }
                };
                carried.places.push(Some(Memory { owner: None, ..place }));
            }
            carried.types.push(ty);
        }
        carried
    }

    /// Puts values in their places, all at once, and gives the scalars of those that have none.
    fn deliver(&mut self, values: Vec<Form>, places: &[Option<Memory>]) -> Vec<Value> {
        let mut scalars = Vec::new();
        let mut moves: Vec<(Form, &Memory)> = Vec::new();
        for (form, place) in values.into_iter().zip(places) {
            let form = if place.is_some() { self.in_memory(form) } else { form };
            match place {
                None => scalars.extend(self.scalars(&form)),
                Some(place) if form.memory.as_ref().is_some_and(|m| m.is(place)) => {}
                Some(place) => moves.push((form, place)),
            }
        }
        // What lies where another value goes is put aside first.
        for (form, _) in &mut moves {
            if form.memory.as_ref().is_some_and(|m| places.iter().flatten().any(|p| p.may_touch(m))) {
                let room = self.room(&form.ty);
                let only = Form { scalars: None, ..form.clone() };
                self.put(&only, &room);
                *form = Form::memory(form.ty.clone(), room);
            }
        }
        for (form, place) in moves {
            self.put(&form, place);
        }
        scalars
    }

    pub(super) fn scan(&mut self, op: &Scan, mut x: Vec<Form>, types: &[Type]) -> Vec<Form> {
        let xs = x.split_off(op.consts + op.carries);
        let start = x.split_off(op.consts);
        let consts = self.kept(&x);
        let xs: Vec<(Form, Memory)> = xs
            .into_iter()
            .map(|x| {
                let memory = self.memory(&x);
                (x, memory)
            })
            .collect();
        let carried = self.carry(start);
        // Until here they kept what is carried from going over them.
        drop(x);
        let stacked = (op.carries..types.len()).map(|k| self.room_of(k, &types[k]));
        let stacked: Vec<Memory> = stacked.collect();
        self.b.begin();
        let index = self.b.value(Kind::I64);
        // Held until the loop is written: the next step reads them too.
        let mut args = consts.clone();
        args.extend(carried.forms(&carried.inside, true));
        for (x, memory) in &xs {
            let ty = x.ty.with_shape(x.ty.shape.without_axes(&[0]));
            let form = match x.splat_scalar() {
                Some(v) => Form::splat(ty, v),
                None => {
                    let place = self.slice_of(memory, index, &ty);
                    Form::memory(ty, place)
                }
            };
            args.push(form);
        }
        let mut next = self.program(&op.body, args, &[]);
        let ys = next.split_off(op.carries);
        if is_planted(Fault::ThreeCarries) && op.carries == 3 && next[1].ty == next[2].ty {
            next.swap(1, 2);
        }
        for (y, stack) in ys.iter().zip(&stacked) {
            let place = self.slice_of(stack, index, &y.ty);
            self.put(y, &place);
        }
        let results = self.deliver(next, &carried.places);
        let body = self.b.end(results);
        let y: Vec<Value> = carried.start.iter().map(|&v| self.like(v)).collect();
        let (from, step) = if op.reverse { (op.length as i64 - 1, -1) } else { (0, 1) };
        self.b.push(Inst::For {
            index,
            from,
            step,
            count: op.length as u64,
            carried: carried.inside.clone(),
            start: carried.start.clone(),
            body,
            y: y.clone(),
        });
        let mut out = carried.forms(&y, true);
        out.extend(types[op.carries..].iter().zip(stacked).map(|(t, m)| Form::memory(t.clone(), m)));
        out
    }

    /// A value of the kind of another, for an instruction to define.
    fn like(&mut self, v: Value) -> Value {
        self.b.value(self.b.kind(v))
    }

    /// The slice of a stack at an index that the function computes.
    fn slice_of(&mut self, stack: &Memory, index: Value, ty: &Type) -> Memory {
        let bytes = ty.bytes().expect("checked when the program was made") as i64;
        let at = self.address(stack, 0);
        let pointer = self.b.pointer(Address { index: Some((index, bytes)), ..at });
        Memory { base: Base::Pointer(pointer), offset: 0, room: stack.room.clone(), owner: None }
    }

    /// Values that programs inside of a loop or branch use, which must not overwrite them: those that they read as scalars
    /// are read before.
    fn kept(&mut self, x: &[Form]) -> Vec<Form> {
        x.iter()
            .cloned()
            .map(|mut form| {
                form.memory.iter_mut().for_each(|m| m.owner = None);
                if self.is_small(&form.ty) && form.scalars.is_none() {
                    form.scalars = Some(Scalars::Each(self.scalars(&form).into()));
                }
                form
            })
            .collect()
    }

    pub(super) fn while_loop(&mut self, op: &While, mut x: Vec<Form>) -> Vec<Form> {
        let start = x.split_off(op.consts);
        let consts = self.kept(&x);
        let carried = self.carry(start);
        // The condition reads what the body overwrites.
        let args = |writable: bool| {
            let mut args = consts.clone();
            args.extend(carried.forms(&carried.inside, writable));
            args
        };
        self.b.begin();
        let go_on = self.program(&op.cond, args(false), &[]).remove(0);
        let go_on = self.scalars(&go_on);
        let condition = self.b.end(go_on);
        self.b.begin();
        let next = self.program(&op.body, args(true), &[]);
        let results = self.deliver(next, &carried.places);
        let body = self.b.end(results);
        let y: Vec<Value> = carried.start.iter().map(|&v| self.like(v)).collect();
        self.b.push(Inst::While {
            carried: carried.inside.clone(),
            start: carried.start.clone(),
            condition,
            body,
            y: y.clone(),
        });
        carried.forms(&y, true)
    }

    pub(super) fn cond(&mut self, op: &Cond, mut x: Vec<Form>, types: &[Type]) -> Vec<Form> {
        if op.branches.len() == 3 && is_planted(Fault::AbortOfBranches) {
            std::process::abort();
        }
        let args = x.split_off(1);
        let index = self.scalars(&x[0])[0];
        let kind = self.b.kind(index);
        // Results in memory have one place, whichever branch is taken: that of an argument which nothing else is, if there
        // is one of their type.
        let mut places: Vec<Option<Memory>> = Vec::with_capacity(types.len());
        for (k, ty) in types.iter().enumerate() {
            let free = |a: &&Form| {
                let taken = |m: &Memory| places.iter().flatten().any(|p: &Memory| p.is(m));
                a.ty == *ty && a.memory.as_ref().is_some_and(|m| m.is_alone() && !taken(m))
            };
            places.push(match args.iter().find(free).and_then(|a| a.memory.clone()) {
                _ if self.is_small(ty) => None,
                Some(memory) => {
                    self.overwrite(&memory);
                    Some(Memory { owner: None, ..memory })
                }
                None => Some(self.room_of(k, ty)),
            });
        }
        let given = args.iter().map(|a| a.memory.as_ref().is_some_and(Memory::is_alone)).collect::<Vec<bool>>();
        let mut branch_args = self.kept(&args);
        // Each branch may overwrite what nothing else is.
        for (arg, _) in branch_args.iter_mut().zip(given).filter(|(_, alone)| *alone) {
            arg.memory = arg.memory.take().map(|m| if self.is_ours(&m) { m.owned() } else { m });
        }
        let args = branch_args;
        let values = match kind {
            Kind::Bool => {
                let otherwise = self.branch(&op.branches[0], &args, &places);
                let then = self.branch(&op.branches[1.min(op.branches.len() - 1)], &args, &places);
                self.choose(index, then, otherwise, types)
            }
            _ => self.switch(index, &op.branches, 0, &args, &places, types),
        };
        let mut rest = &values[..];
        let forms = types.iter().zip(places).map(|(ty, place)| match place {
            Some(place) => Form::memory(ty.clone(), place.owned()),
            None => {
                let (own, after) = rest.split_at(ty.shape.size());
                rest = after;
                Form::each(ty.clone(), own.to_vec())
            }
        });
        forms.collect()
    }

    /// The block of a branch: it gives scalars, and puts everything else in its place.
    fn branch(&mut self, program: &Program, args: &[Form], places: &[Option<Memory>]) -> wengert_kernel::Block {
        self.b.begin();
        // A value of its own in each branch: what one overwrites the other does not see.
        let own = |form: &Form| {
            let owned = |m: &Memory| if m.owner.is_some() { m.owned() } else { m.clone() };
            Form { memory: form.memory.as_ref().map(owned), ..form.clone() }
        };
        let y = self.program(program, args.iter().map(own).collect(), &[]);
        let scalars = self.deliver(y, places);
        self.b.end(scalars)
    }

    fn choose(
        &mut self,
        condition: Value,
        then: wengert_kernel::Block,
        otherwise: wengert_kernel::Block,
        types: &[Type],
    ) -> Vec<Value> {
        let small = types.iter().filter(|t| self.is_small(t));
        let kinds: Vec<Kind> =
            small.flat_map(|t| std::iter::repeat_n(kind(t.dtype).expect("small"), t.shape.size())).collect();
        let y: Vec<Value> = kinds.into_iter().map(|k| self.b.value(k)).collect();
        self.b.push(Inst::If { condition, then, otherwise, y: y.clone() });
        y
    }

    /// One of many branches, by halves: those numbered from `first` on.
    fn switch(
        &mut self,
        index: Value,
        branches: &[std::sync::Arc<Program>],
        first: usize,
        args: &[Form],
        places: &[Option<Memory>],
        types: &[Type],
    ) -> Vec<Value> {
        if let [only] = branches {
            let block = self.branch(only, args, places);
            // A block of its own would hide what it defines.
            return self.b.append(block);
        }
        let middle = branches.len() / 2;
        let number = self.b.constant(self.b.kind(index), (first + middle) as u64);
        let below = self.b.compare(Compare::Lt, index, number);
        let (low, high) = branches.split_at(middle);
        self.b.begin();
        let values = self.switch(index, low, first, args, places, types);
        let then = self.b.end(values);
        self.b.begin();
        let values = self.switch(index, high, first + middle, args, places, types);
        let otherwise = self.b.end(values);
        self.choose(below, then, otherwise, types)
    }
}
