//! What compiled programs say of themselves: stages, memory, profiles; with machine code of every kind and with none.

use proptest::prelude::*;
use std::sync::Arc;
use std::time::Instant;
use wengert_core::run::{Device, Executable};
use wengert_core::{Program, Tensor};
use wengert_cpu::{Cpu, Native, STAGES};
use wengert_testing::{Choices, Recipe, cases, random_program, random_values};

const ALL: [Native; 4] = [Native::Best, Native::Avx2, Native::Sse2, Native::Off];

fn parse(text: &str) -> Arc<Program> {
    Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

fn compile(cpu: Cpu, program: &Arc<Program>) -> Arc<dyn Executable> {
    cpu.compile(program.clone(), &[]).unwrap_or_else(|e| panic!("{e}\n{program}"))
}

fn numbers(count: usize) -> Tensor {
    Tensor::new([count], (0..count).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<f32>>()).unwrap()
}

proptest! {
    #![proptest_config(cases(60))]

    /// Every program has every stage, and counts where its time goes without changing what it gives.
    #[test]
    fn random_programs_have_stages_and_profiles(numbers in prop::collection::vec(any::<u16>(), 40..400)) {
        let mut choices = Choices::new(&numbers);
        let program = Arc::new(random_program(&Recipe::any(), &mut choices));
        let x = random_values(&program.input_types(), &mut choices, false);
        for native in ALL {
            for small in [64, 0] {
                let cpu = Cpu::with(native).with_scalars_up_to(small);
                let (plain, profiled) = (compile(cpu, &program), compile(cpu.with_profile(), &program));
                for stage in plain.stages() {
                    prop_assert!(plain.stage(stage).is_some() && profiled.stage(stage).is_some());
                    if *stage != "machine" {
                        prop_assert_eq!(plain.stage(stage), profiled.stage(stage));
                    }
                }
                match (plain.run_on_host(x.clone()), profiled.run_on_host(x.clone())) {
                    (Ok(want), Ok(got)) => {
                        for (want, got) in want.iter().zip(&got) {
                            let (want, got) = (format!("{want:?}"), format!("{got:?}"));
                            prop_assert_eq!(want, got, "{:?}, {}:\n{}", native, small, program);
                        }
                    }
                    (want, got) => prop_assert!(want.is_err() && got.is_err()),
                }
                // A program that the evaluator runs has none.
                let Some(profile) = profiled.profile() else { continue };
                let sum: f64 = profile.blocks.iter().map(|b| b.time.as_secs_f64()).sum();
                prop_assert!((sum - profile.time.as_secs_f64()).abs() < 1e-6, "{sum} of {:?}", profile.time);
                prop_assert!(plain.profile().is_none() && profile.runs == 1);
            }
        }
    }
}

const LOOPS: &str = "program f(x: f32[5000]) {
  a: f32[5000] = exp(x) @ src/model.rs:7:3
  b: f32[5000] = sort[dim=0, stable=true, order=1](a)
  c: f32[] = scan[length=50, consts=1, carries=1, reverse=false,
    body=program (b: f32[5000], c: f32[]) {
      d: f32[5000] = sin(b)
      e: f32[] = reduce[combiner=add, dims=[0]](d)
      g: f32[] = add(c, e)
      return g
    }](b, 0.0:f32[])
  return c
}";

#[test]
fn a_profile_finds_where_time_goes() {
    let program = parse(LOOPS);
    for native in ALL {
        let compiled = compile(Cpu::with(native).with_profile(), &program);
        let start = Instant::now();
        for _ in 0..4 {
            compiled.run_on_host(vec![numbers(5000)]).unwrap();
        }
        let whole = start.elapsed();
        let profile = compiled.profile().expect("it counts");
        assert!(profile.runs == 4 && profile.time <= whole, "{profile}");
        let time = |holds: &dyn Fn(&str) -> bool| -> f64 {
            profile.blocks.iter().filter(|b| holds(&b.name)).map(|b| b.time.as_secs_f64()).sum()
        };
        assert!((time(&|_| true) / profile.time.as_secs_f64() - 1.0).abs() < 1e-3, "{profile}");
        // The loop inside runs as often as there are steps.
        let inside: Vec<_> = profile.blocks.iter().filter(|b| b.depth == 1).collect();
        let sine = inside.iter().find(|b| b.equations.iter().any(|e| e.contains("sin(b)"))).expect("the loop");
        assert_eq!(sine.runs, 4 * 50, "{profile}");
        assert!(sine.equations[0].starts_with("3.body.0  d: f32[5000] = sin(b)"), "{profile}");
        let first = profile.blocks.iter().find(|b| b.equations.iter().any(|e| e.contains("exp(x)"))).expect("a block");
        // Fifty sines of as many numbers as there is one exponential of.
        assert!(inside.iter().map(|b| b.time).sum::<std::time::Duration>() > first.time, "{profile}");
        assert!(first.runs == 4 && first.equations[0].ends_with("@ src/model.rs:7:3"), "{profile}");
    }
}

#[test]
fn several_threads_count_together() {
    let program = parse(LOOPS);
    let compiled = compile(Cpu::with(Native::Best).with_profile(), &program);
    let x = numbers(5000);
    let expected = compiled.run_on_host(vec![x.clone()]).unwrap();
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(
                        format!("{:?}", compiled.run_on_host(vec![x.clone()]).unwrap()),
                        format!("{expected:?}")
                    );
                }
            });
        }
    });
    let profile = compiled.profile().unwrap();
    assert!(
        profile.runs == 21 && profile.blocks.iter().filter(|b| b.depth == 1).all(|b| b.runs % 21 == 0),
        "{profile}"
    );
}

#[test]
fn memory_is_known_before_anything_runs() {
    let program = parse(
        "program (x: f32[1000], y: f64[10]) {
          k: f32[1000] = sort[dim=0, stable=true, order=1](x)
          s: f32[1000] = cumulative[kind=sum, dim=0, reverse=false](k)
          t: f32[1000] = add(s, x)
          return t, y
        }",
    );
    let m = compile(Cpu::with(Native::Best), &program).memory().expect("it is planned");
    assert_eq!((m.inputs, m.results, m.constants), (4080, 4000, 0));
    assert!((4000..=16384).contains(&m.temporaries), "{m}");
    // A sort holds a key and a position of each element.
    assert_eq!(m.kernels, 16_000);
    assert_eq!(m.peak(), m.inputs + m.results + m.temporaries + m.kernels + m.code);
    assert_eq!(compile(Cpu::with(Native::Off), &program).memory().unwrap().code, 0);
}

#[test]
fn a_plan_that_does_not_fit_is_refused_and_the_largest_array_named() {
    // Each array alone fits, all together do not.
    let n = 1usize << 30;
    let mut text = format!("program (x: f32[{n}]) {{\n");
    let count = 40;
    for i in 0..count {
        text += &format!("  a{i}: f32[{n}] = sort[dim=0, stable=true, order=1](x)\n");
    }
    text += &format!("  b: f64[{n}] = convert[dtype=f64](x) @ src/big.rs:5:1\n");
    text += &format!("  return b, {} }}", (0..count).map(|i| format!("a{i}")).collect::<Vec<_>>().join(", "));
    let program = parse(&text);
    for native in ALL {
        let Err(e) = Cpu::with(native).compile(program.clone(), &[]) else { panic!("this machine is large") };
        let e = e.to_string();
        let of_each = wengert_eval::check(&program).is_err();
        let expected = "168.0 GiB beside its inputs, and this machine has no memory for it: the largest array is the \
                        f64[1073741824] of 8.0 GiB that `convert` gives";
        assert!(of_each || (e.contains(expected) && e.contains("src/big.rs:5:1")), "{e}");
    }
}

#[test]
fn one_value_repeated_that_need_not_be_spelled_out_is_no_hindrance() {
    let n = 1usize << 42;
    let program = parse(&format!(
        "program (x: f32[]) {{
          a: f32[{n}] = broadcast[shape=[{n}], dims=[]](x)
          c: f32[] = reduce[combiner=max, dims=[0]](a)
          return c
        }}"
    ));
    for native in ALL {
        let y = compile(Cpu::with(native), &program).run_on_host(vec![Tensor::scalar(3.0f32)]).unwrap();
        assert_eq!(y[0].get(0).as_f64(), Some(3.0));
    }
}

#[test]
fn stages_that_there_are_not_are_listed() {
    let program = parse("program (x: f32[]) { y: f32[] = sin(x) return y }");
    let compiled = compile(Cpu::with(Native::Best), &program);
    assert_eq!(compiled.stages(), STAGES);
    let e = compiled.after("fusion").unwrap_err().to_string();
    assert!(
        e.contains("there is no stage `fusion`: the stages are rewrite, fuse, schedule, memory, kernel, machine"),
        "{e}"
    );
    let e = wengert_eval::Eval::PLAIN.compile(program, &[]).unwrap().after("fuse").unwrap_err().to_string();
    assert!(e.contains("there is no stage `fuse`"), "{e}");
}

#[test]
fn machine_code_is_listed_to_the_last_byte() {
    let program = parse(LOOPS);
    for native in [Native::Best, Native::Avx2, Native::Sse2] {
        let compiled = compile(Cpu::with(native), &program);
        let text = compiled.after("machine").unwrap();
        let Some(code) = compiled.memory().map(|m| m.code).filter(|n| *n > 0) else { continue };
        let rows = text.lines().filter(|l| !l.starts_with("//"));
        let is_byte = |w: &&str| w.len() == 2 && w.chars().all(|c| c.is_ascii_hexdigit());
        let bytes: usize = rows.map(|l| l[8..l.len().min(44)].split(' ').filter(is_byte).count()).sum();
        assert_eq!(bytes, code, "{text}");
        assert!(text.contains("//   3.body.0  d: f32[5000] = sin(b)"), "{text}");
    }
    let off = compile(Cpu::with(Native::Off), &program).after("machine").unwrap();
    assert_eq!(off, "// there is no machine code: the function is interpreted\n");
}

#[test]
fn large_loops_are_in_pieces() {
    let n = 1 << 20;
    let text = format!(
        "program (x: f32[{n}]) {{
            y: f32[{n}] = exp(x)
            s: f32[] = reduce[combiner=add, dims=[0]](y)
            b: f32[{n}] = broadcast[shape=[{n}], dims=[]](s)
            z: f32[{n}] = div(y, b)
            return z
        }}"
    );
    let program = parse(&text);
    let x = vec![numbers(n)];
    let expected = wengert_eval::run(&program, x.clone()).unwrap();
    for native in [Native::Best, Native::Off] {
        for threads in [1, 2, 7] {
            let cpu = Cpu::with(native).with_threads(threads, 20_000);
            let compiled = compile(cpu, &program);
            let kernel = compiled.stage("kernel").unwrap();
            assert_eq!(kernel.contains("piece_1"), threads > 1, "{threads}:\n{kernel}");
            if native == Native::Best && compiled.stage("machine").unwrap().contains("bytes of") {
                assert_eq!(compiled.stage("machine").unwrap().contains("bytes of machine code: piece_0"), threads > 1);
            }
            assert_eq!(compiled.run_on_host(x.clone()).unwrap()[0], expected[0], "{native:?}, {threads}");
        }
    }
}

/// As JAX writes a normalization: what is one for each row is a matrix of one column, made by a broadcast.
#[test]
fn a_column_of_one_for_each_row_parts_no_loop() {
    let program = parse(
        "program (x: f32[64,96]) {
            s: f32[64] = reduce[combiner=add, dims=[1]](x)
            c: f32[64,1] = broadcast[shape=[64, 1], dims=[0]](s)
            m: f32[64,1] = sqrt(c)
            t: f32[1,64] = transpose[perm=[1, 0]](m)
            b: f32[64,96] = broadcast[shape=[64, 96], dims=[0, 1]](m)
            y: f32[64,96] = div(x, b)
            u: f32[1,64] = neg(t)
            return y, u
        }",
    );
    let x = vec![numbers(64 * 96).reshaped([64, 96])];
    let expected = wengert_eval::run(&program, x.clone()).unwrap();
    for native in ALL {
        let compiled = compile(Cpu::with(native), &program);
        let fused = compiled.stage("fuse").unwrap();
        assert_eq!(fused.matches("block ").count(), 1, "{fused}");
        assert_eq!(compiled.run_on_host(x.clone()).unwrap(), expected, "{native:?}");
    }
}

/// Attention has no matrix of all scores: its rows are made, normalized and used piece by piece.
#[test]
fn attention_keeps_no_scores() {
    let program = parse(
        "program (q: f32[4,512,16], k: f32[4,512,16], v: f32[4,512,16]) {
          p: f32[4,512,512] = dot_general[contract=([2], [2]), batch=([0], [0])](q, k)
          a: f32[4,512] = reduce[combiner=max, dims=[2]](p)
          b: f32[4,512,512] = broadcast[shape=[4,512,512], dims=[0,1]](a)
          d: f32[4,512,512] = sub(p, b)
          e: f32[4,512,512] = exp(d)
          t: f32[4,512] = reduce[combiner=add, dims=[2]](e)
          u: f32[4,512,512] = broadcast[shape=[4,512,512], dims=[0,1]](t)
          n: f32[4,512,512] = div(e, u)
          o: f32[4,512,16] = dot_general[contract=([2], [1]), batch=([0], [0])](n, v)
          return o
        }",
    );
    let number = |i: usize, seed: usize| ((i * 7 + seed) as f32 * 0.37).sin();
    let array =
        |seed| Tensor::new([4, 512, 16], (0..4 * 512 * 16).map(|i| number(i, seed)).collect::<Vec<f32>>()).unwrap();
    let x: Vec<Tensor> = (0..3).map(array).collect();
    let expected = wengert_eval::run(&program, x.clone()).unwrap();
    let compiled = compile(Cpu::with(Native::Best).with_threads(2, 12_000), &program);
    let temporaries = compiled.memory().expect("it is planned").temporaries;
    assert!(temporaries < 4 * 512 * 512 * 4 / 2, "{temporaries} bytes");
    let fused = compiled.stage("fuse").unwrap();
    assert!(fused.contains("loop over 1048576 elements\n  0  ") && !fused.contains("block 3"), "{fused}");
    assert_eq!(compiled.run_on_host(x).unwrap()[0], expected[0]);
}

/// The gradient of attention has no matrix of what its scores get either, since products over their rows are added piece by
/// piece; where they are many, the scores themselves are computed again.
#[test]
fn the_gradient_of_attention_keeps_no_scores() {
    let gradient = |t: usize| {
        let (a, s) = (format!("f32[4,{t},16]"), format!("f32[4,{t},{t}]"));
        let along = format!("broadcast[shape=[4,{t},{t}], dims=[0,1]]");
        parse(&format!(
            "program (q: {a}, k: {a}, v: {a}, g: {a}) {{
              p: {s} = dot_general[contract=([2], [2]), batch=([0], [0])](q, k)
              m: f32[4,{t}] = reduce[combiner=max, dims=[2]](p)
              b: {s} = {along}(m)
              d: {s} = sub(p, b)
              e: {s} = exp(d)
              h: f32[4,{t}] = reduce[combiner=add, dims=[2]](e)
              u: {s} = {along}(h)
              n: {s} = div(e, u)
              o: {a} = dot_general[contract=([2], [1]), batch=([0], [0])](n, v)
              c: {a} = mul(o, g)
              y: {a} = dot_general[contract=([1], [1]), batch=([0], [0])](n, c)
              f: {s} = dot_general[contract=([2], [2]), batch=([0], [0])](c, v)
              i: {s} = mul(f, n)
              r: f32[4,{t}] = reduce[combiner=add, dims=[2]](i)
              w: {s} = {along}(r)
              x: {s} = sub(f, w)
              z: {s} = mul(x, n)
              j: {a} = dot_general[contract=([2], [1]), batch=([0], [0])](z, k)
              l: {a} = dot_general[contract=([1], [1]), batch=([0], [0])](z, q)
              return j, l, y
            }}"
        ))
    };
    let on = |threads: usize, t: usize| compile(Cpu::with(Native::Best).with_threads(threads, 12_000), &gradient(t));
    // Matrices of scores that there is room for, in hundredths.
    let kept = |e: &dyn Executable, t: usize| e.memory().expect("it is planned").temporaries * 100 / (4 * t * t * 4);
    let few = on(2, 512);
    assert!((100..170).contains(&kept(&*few, 512)), "{}", kept(&*few, 512));
    let number = |i: usize, seed: usize| ((i * 7 + seed) as f32 * 0.37).sin();
    let array =
        |seed| Tensor::new([4, 512, 16], (0..4 * 512 * 16).map(|i| number(i, seed)).collect::<Vec<f32>>()).unwrap();
    let x: Vec<Tensor> = (0..4).map(array).collect();
    let expected = wengert_eval::run(&gradient(512), x.clone()).unwrap();
    assert_eq!(few.run_on_host(x).unwrap(), expected);
    for threads in [1, 2, 4] {
        let many = kept(&*on(threads, 1400), 1400);
        assert!(many < 40, "{threads} threads: {many}");
    }
    // Four matrices are not shared well by three threads.
    assert!(kept(&*on(3, 1400), 1400) >= 100);
}
