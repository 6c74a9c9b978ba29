//! A device that runs several equations as one block: what watches it sees the block, and a tape has a node for each
//! equation, with the values that left the block.

use std::sync::Arc;
use wengert::tape::Kind;
use wengert::*;
use wengert_core::ops::{Call as CallOp, CallKind};
use wengert_core::run::{Block, Device, Executable, Observer, Run, Step, Value, Visit};
use wengert_core::{Equation, Op, Place, Var};
use wengert_tape::record::{Call, CallBody, ProgramRecorder};

/// Runs up to this many neighbouring equations as one block; those that hold programs alone, equation by equation.
struct Fusing(usize);

struct Fused {
    program: Arc<Program>,
    blocks: Vec<Vec<usize>>,
}

impl Device for Fusing {
    fn name(&self) -> &str {
        "fusing"
    }
    fn compile(&self, program: Arc<Program>, _: &[bool]) -> Result<Arc<dyn Executable>> {
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let alone = |e: &Equation| !e.op.programs().is_empty();
        for (i, e) in program.equations().iter().enumerate() {
            match blocks.last_mut() {
                Some(b) if b.len() < self.0 && !alone(e) && !alone(&program.equations()[b[0]]) => b.push(i),
                _ => blocks.push(vec![i]),
            }
        }
        Ok(Arc::new(Fused { program, blocks }))
    }
    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        wengert_cpu::CPU.run_op(op, run)
    }
    fn put(&self, value: &Value) -> Result<Value> {
        Ok(value.clone())
    }
}

impl Fused {
    /// The variables of a block that something outside of it uses.
    fn leaving(&self, block: &[usize]) -> Vec<Var> {
        let p = &self.program;
        let inside = |i: usize| block.contains(&i);
        let read = p.equations().iter().enumerate().filter(|(i, _)| !inside(*i)).flat_map(|(_, e)| e.inputs.clone());
        let read: Vec<Var> = read.chain(p.outputs().iter().copied()).collect();
        let last = &p.equations()[*block.last().unwrap()].outputs;
        let made = block.iter().flat_map(|&i| p.equations()[i].outputs.clone());
        made.filter(|v| read.contains(v) || last.contains(v)).collect()
    }

    fn run_inside(&self, x: Vec<Value>, visit: Visit, watcher: &mut Option<&mut dyn Observer>) -> Result<Vec<Value>> {
        let p = &self.program;
        if let Some(w) = watcher {
            w.enter(p, visit, &x);
        }
        let mut env: Vec<Option<Value>> = vec![None; p.var_count()];
        p.inputs().iter().zip(x).for_each(|(v, x)| env[v.index()] = Some(x));
        for block in &self.blocks {
            let nested = !p.equations()[block[0]].op.programs().is_empty();
            if let (true, Some(w)) = (nested, &mut *watcher) {
                w.begin(p, block[0]);
            }
            for &i in block {
                let e = &p.equations()[i];
                let x = e.inputs.iter().map(|v| env[v.index()].clone().unwrap()).collect();
                let y = match &e.op {
                    // The steps of a scan run as blocks too.
                    Op::Scan(scan) => self.scan(scan, x, watcher)?,
                    op => wengert_cpu::CPU.run_op(op, Run::new(x))?,
                };
                e.outputs.iter().zip(y).for_each(|(v, y)| env[v.index()] = Some(y));
            }
            let value = |v: &Var| (*v, env[v.index()].clone().unwrap());
            let outputs: Vec<(Var, Value)> = self.leaving(block).iter().map(value).collect();
            if let Some(w) = watcher {
                // Those of a block of several equations belong to none of them.
                let fused = Step { name: "fused", inputs: vec![], output: Type::scalar(DType::F32) };
                let steps = if block.len() > 1 { vec![fused] } else { Vec::new() };
                let given: Vec<Value> = outputs.iter().map(|(_, x)| x.clone()).collect();
                match nested {
                    true => w.end(p, block[0], &given),
                    false => w.ran(Block { program: p, equations: block, outputs: &outputs, steps: &steps }),
                }
            }
            // What does not leave the block is never in memory.
            for &i in block {
                let left = |v: &&Var| !outputs.iter().any(|(o, _)| o == *v);
                p.equations()[i].outputs.iter().filter(left).for_each(|v| env[v.index()] = None);
            }
        }
        if let Some(w) = watcher {
            w.leave(p);
        }
        Ok(p.outputs().iter().map(|v| env[v.index()].clone().unwrap()).collect())
    }

    /// A scan with one carry and nothing else.
    fn scan(
        &self,
        scan: &wengert_core::ops::Scan,
        x: Vec<Value>,
        watcher: &mut Option<&mut dyn Observer>,
    ) -> Result<Vec<Value>> {
        assert_eq!((scan.carries, scan.body.outputs().len(), x.len()), (1, 1, scan.consts + 1));
        let body = Fused { blocks: vec![(0..scan.body.equations().len()).collect()], program: scan.body.clone() };
        let mut x = x;
        for i in 0..scan.length {
            let y = body.run_inside(x.clone(), Visit::Step(i), watcher)?.remove(0);
            x[scan.consts] = y;
        }
        Ok(vec![x.remove(scan.consts)])
    }
}

impl Executable for Fused {
    fn run(&self, run: Run<'_>) -> Result<Vec<Value>> {
        let mut observer = run.observer;
        Ok(Run::choose(run.wanted, self.run_inside(run.inputs, Visit::Whole, &mut observer)?))
    }
}

fn parse(text: &str) -> Arc<Program> {
    Arc::new(Program::parse(text).unwrap())
}

fn program() -> Arc<Program> {
    parse(
        "program (x: f32[3]) {
          a: f32[3] = sin(x)
          b: f32[3] = exp(a)
          c: f32[3] = mul(b, b)
          d: f32[3] = add(c, a)
          e: f32[3] = neg(d)
          return e, c
        }",
    )
}

/// Runs a program on a device, recorded equation by equation or block by block.
fn recorded(device: &dyn Device, program: &Arc<Program>, x: &Array) -> (Vec<Array>, Tape) {
    Recorder::new().capture(Capture::Values).record(|| {
        let x = x + 0.0;
        let op: Op = CallOp { program: program.clone(), kind: CallKind::Staged }.into();
        let call = Call::enter_op("on a device", &op, &[&x], &Place::unknown());
        let mut watch = ProgramRecorder::new();
        let executable = device.compile(program.clone(), &[]).unwrap();
        let run = Run::new(vec![Value::Host(x.to_tensor())]);
        let y = executable.run(run.observed_by(&mut watch)).unwrap();
        let mut y: Vec<Array> = y.into_iter().map(|y| Array::from_tensor(y.into_host().unwrap())).collect();
        call.finish_whole(&mut y, CallBody::Recorded);
        y
    })
}

/// The nodes of the program's equations: function, whether there is a value, and the block.
fn equations(tape: &Tape) -> Vec<(&str, bool, Option<i64>)> {
    let call = tape.nodes().find(|n| n.function() == "on a device").unwrap();
    let inside = call.descendants().filter(|n| n.kind() == Kind::Primitive);
    let block = |n: Node<'_>| {
        n.metadata().find(|(key, _)| *key == "block").map(|(_, v)| v.to_string().parse().expect("a number"))
    };
    inside.map(|n| (n.function(), n.value(0).is_some(), block(n))).collect()
}

fn point() -> Array {
    Array::from([0.1f32, 0.2, 0.3])
}

#[test]
fn a_block_has_a_node_for_each_equation_and_the_values_that_left_it() {
    let (y, tape) = recorded(&Fusing(3), &program(), &point());
    let nodes = equations(&tape);
    let (first, second) = (nodes[0].2.unwrap(), nodes[3].2.unwrap());
    assert_eq!(
        nodes,
        [
            // Used by the next block, so it left this one.
            ("sin", true, Some(first)),
            ("exp", false, Some(first)),
            ("mul", true, Some(first)),
            ("add", false, Some(second)),
            ("neg", true, Some(second)),
        ],
        "{tape}"
    );
    // A block is called by its first node.
    let node = |i: i64| tape.node(i as u32).function();
    assert_eq!((node(first), node(second)), ("sin", "add"));
    // Links go from equation to equation, also through values that were never there.
    let neg = tape.nodes().find(|n| n.function() == "neg").unwrap();
    let behind: Vec<&str> = neg.backward().map(|n| n.function()).filter(|f| !f.contains("arg")).collect();
    assert!(["add", "mul", "exp", "sin"].iter().all(|f| behind.contains(f)), "{behind:?}");
    assert_eq!(neg.value(0).unwrap(), y[0].to_tensor());
    // It can be read back, and shown.
    let folder = std::env::temp_dir().join(format!("wengert-blocks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    tape.save(folder.join("blocks.tape")).unwrap();
    assert_eq!(equations(&Tape::open(folder.join("blocks.tape")).unwrap()), nodes);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(tape.to_string().contains("exp"));
}

#[test]
fn equations_that_ran_alone_are_no_blocks() {
    for device in [&Fusing(1) as &dyn Device, &wengert_cpu::CPU, &wengert_eval::Eval::PLAIN] {
        let (_, tape) = recorded(device, &program(), &point());
        assert!(equations(&tape).iter().all(|(_, value, block)| *value && block.is_none()), "{tape}");
    }
}

#[test]
fn runs_in_blocks_and_equation_by_equation_can_be_compared() {
    let (blocks, fused) = recorded(&Fusing(3), &program(), &point());
    let (single, plain) = recorded(&wengert_eval::Eval::PLAIN, &program(), &point());
    // The same nodes in the same order, so one can be held against the other wherever both have a value.
    let nodes = |t: &Tape| t.nodes().map(|n| (n.kind(), n.function().to_string())).collect::<Vec<_>>();
    assert_eq!(nodes(&fused), nodes(&plain));
    let mut both = 0;
    for (a, b) in fused.nodes().zip(plain.nodes()) {
        assert_eq!((a.ty(0), a.result_count()), (b.ty(0), b.result_count()));
        if let (Some(a), Some(b)) = (a.value(0), b.value(0)) {
            assert!(a.same_bits(&b));
            both += 1;
        }
    }
    assert!(both >= 5);
    assert!(blocks.iter().zip(&single).all(|(a, b)| a.to_tensor() == b.to_tensor()));
}

#[test]
fn blocks_inside_of_loops() {
    let p = parse(
        "program (x: f32[3]) {
          y: f32[3] = scan[length=2, consts=0, carries=1, reverse=false, body=program (c: f32[3]) {
            a: f32[3] = sin(c)
            b: f32[3] = cos(a)
            return b
          }](x)
          z: f32[3] = neg(y)
          return z
        }",
    );
    let (y, tape) = recorded(&Fusing(3), &p, &point());
    let (expected, plain) = recorded(&wengert_cpu::CPU, &p, &point());
    assert_eq!(y[0].to_tensor(), expected[0].to_tensor());
    let found: Vec<(&str, bool)> = equations(&tape).iter().map(|(f, value, _)| (*f, *value)).collect();
    assert_eq!(found, [("sin", false), ("cos", true), ("sin", false), ("cos", true), ("neg", true)], "{tape}");
    // Each step is a block of its own.
    let blocks: Vec<i64> = equations(&tape).iter().filter_map(|(_, _, block)| *block).collect();
    assert!(blocks.len() == 4 && blocks[0] == blocks[1] && blocks[2] == blocks[3] && blocks[0] != blocks[2]);
    assert_eq!(tape.len(), plain.len());
}

/// A device that says nothing of what it runs: the call has its results, and nothing inside.
#[test]
fn a_device_that_reports_nothing() {
    struct Silent;
    impl Device for Silent {
        fn name(&self) -> &str {
            "silent"
        }
        fn compile(&self, program: Arc<Program>, _: &[bool]) -> Result<Arc<dyn Executable>> {
            struct Run1(Arc<Program>);
            impl Executable for Run1 {
                fn run(&self, run: Run<'_>) -> Result<Vec<Value>> {
                    let inputs = run.inputs.into_iter().map(Value::into_host).collect::<Result<_>>()?;
                    Ok(wengert_eval::run(&self.0, inputs)?.into_iter().map(Value::Host).collect())
                }
            }
            Ok(Arc::new(Run1(program)))
        }
        fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
            wengert_cpu::CPU.run_op(op, run)
        }
        fn put(&self, value: &Value) -> Result<Value> {
            Ok(value.clone())
        }
    }
    let (y, tape) = recorded(&Silent, &program(), &point());
    assert_eq!(equations(&tape), []);
    let call = tape.nodes().find(|n| n.function() == "on a device").unwrap();
    assert_eq!(call.value(1).unwrap(), y[1].to_tensor());
}

/// Only the results that are asked for are given.
#[test]
fn what_is_not_wanted_is_not_given() {
    for device in [&Fusing(2) as &dyn Device, &wengert_cpu::CPU, &wengert_eval::Eval::PLAIN] {
        let e = device.compile(program(), &[]).unwrap();
        let all = e.run(Run::new(vec![Value::Host(point().to_tensor())])).unwrap();
        for wanted in [[true, true], [true, false], [false, true], [false, false]] {
            let run = Run { inputs: vec![Value::Host(point().to_tensor())], wanted: &wanted, observer: None };
            let y = e.run(run).unwrap();
            let expected: Vec<&Value> = all.iter().zip(wanted).filter(|(_, w)| *w).map(|(y, _)| y).collect();
            assert_eq!(y.len(), expected.len());
            assert!(y.iter().zip(expected).all(|(a, b)| a.host().unwrap() == b.host().unwrap()));
        }
    }
}
