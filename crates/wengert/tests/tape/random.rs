//! C10 on random programs: arrays and numbers of the host go through threads, devices, texts, files of numbers, decisions and
//! arithmetic, and after any change what comes out is what a new run gives.

use wengert::{Array, Device, Recorder, record, track, untracked};

/// One step of a program: it reads values by number, and adds one.
#[derive(Clone, Copy, Debug)]
enum Step {
    Op(usize, usize),
    Scaled(usize, usize),
    OnThread(usize),
    RecordedOnThread(usize),
    ThereAndBack(usize),
    Silent(usize),
    Number(usize),
    NumberOnThread(usize),
    Shown(usize),
    Sum(usize, usize),
    Larger(usize, usize),
    Chosen(usize, usize),
    Counted(usize),
}

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(0x9e37_79b9_7f4a_7c15 ^ seed)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn step(&mut self) -> Step {
        let (a, b) = (self.below(100), self.below(100));
        match self.below(18) {
            0..4 => Step::Op(a, b),
            4 | 5 => Step::Scaled(a, b),
            6 => Step::OnThread(a),
            7 => Step::RecordedOnThread(a),
            8 => Step::ThereAndBack(a),
            9 => Step::Silent(a),
            10 | 11 => Step::Number(a),
            12 => Step::NumberOnThread(a),
            13 => Step::Shown(a),
            14 => Step::Sum(a, b),
            15 => Step::Larger(a, b),
            16 => Step::Chosen(a, b),
            _ => Step::Counted(a),
        }
    }
}

/// The arrays of both results together.
macro_rules! interpreter {
    ($(#[$track:meta])* $name:ident) => {
        $(#[$track])*
        fn $name(program: Vec<Step>, x: Array) -> (Array, Array) {
            let mut arrays = vec![x.clone(), x * 0.5];
            let mut numbers = vec![0.5f32, 2.0];
            for step in program {
                match step {
                    Step::Op(a, b) => {
                        let (u, v) = (&arrays[a % arrays.len()], &arrays[b % arrays.len()]);
                        let y = if (a + b) % 2 == 0 { u.sin() - v } else { u * v + 1.0 };
                        arrays.push(y.tanh());
                    }
                    Step::Scaled(a, n) => {
                        let n = numbers[n % numbers.len()];
                        let y = &arrays[a % arrays.len()] * n;
                        arrays.push(y.tanh());
                    }
                    Step::OnThread(a) => {
                        let u = arrays[a % arrays.len()].clone();
                        arrays.push(std::thread::spawn(move || u.cos()).join().unwrap());
                    }
                    Step::RecordedOnThread(a) => {
                        let u = arrays[a % arrays.len()].clone();
                        arrays.push(std::thread::spawn(move || record(|| u.sin() * 0.5).0).join().unwrap());
                    }
                    Step::ThereAndBack(a) => {
                        let there = arrays[a % arrays.len()].to_device(&Device::cpu()).unwrap();
                        arrays.push(there.to_host().unwrap() + 0.25);
                    }
                    Step::Silent(a) => arrays.push(untracked!(arrays[a % arrays.len()].sin())),
                    Step::Number(a) => numbers.push(arrays[a % arrays.len()].sum(..).item::<f32>()),
                    Step::NumberOnThread(a) => {
                        let u = arrays[a % arrays.len()].clone();
                        numbers.push(std::thread::spawn(move || u.to_vec::<f32>()[0]).join().unwrap());
                    }
                    Step::Shown(a) => {
                        let text = format!("{}", arrays[a % arrays.len()]);
                        numbers.push(text.bytes().map(|b| b as f32).sum::<f32>() / 1000.0);
                    }
                    Step::Sum(n, m) => {
                        let (u, v) = (numbers[n % numbers.len()], numbers[m % numbers.len()]);
                        let mut sum = u + v;
                        if sum.abs() > 4.0 {
                            sum = sum / 4.0 - 1.0;
                        }
                        numbers.push(sum);
                    }
                    Step::Larger(n, a) => {
                        let taken = numbers[n % numbers.len()] > 0.25;
                        let u = &arrays[a % arrays.len()];
                        arrays.push(if taken { u.exp().tanh() } else { -u });
                    }
                    Step::Chosen(n, a) => {
                        let i = (numbers[n % numbers.len()].abs() * 7.0) as usize + a;
                        let chosen = arrays[i % arrays.len()].clone();
                        arrays.push(chosen - 0.125);
                    }
                    Step::Counted(n) => {
                        let (mut left, mut y) = (numbers[n % numbers.len()].abs().min(3.0), arrays[0].clone());
                        while left > 0.5 {
                            y = y * 0.5 + left;
                            left -= 1.0;
                        }
                        arrays.push(y);
                    }
                }
            }
            (arrays.pop().unwrap(), arrays.pop().unwrap())
        }
    };
}
interpreter!(plain);
interpreter!(
    #[track]
    tracked
);
interpreter!(
    #[track(calls)]
    tracked_calls
);

type Run = fn(Vec<Step>, Array) -> (Array, Array);

#[test]
fn c10_random_programs_never_give_an_old_value() {
    // More of them: `RANDOM_RUNS=3000 RANDOM_SEED=7 cargo test -p wengert --test all random_programs_never`.
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let mut random = Random::new(number("RANDOM_SEED", 0));
    let values = [[1.0f32, 2.0], [-0.75, 0.5], [3.0, -1.0]];
    let (mut updated, mut all) = (0, 0);
    for i in 0..number("RANDOM_RUNS", 90) {
        let program: Vec<Step> = (0..2 + random.below(9)).map(|_| random.step()).collect();
        let interpreters: [(&str, Run); 3] = [("plain", plain), ("tracked", tracked), ("calls", tracked_calls)];
        for (name, run) in interpreters {
            let f = |x: Array| run(program.clone(), x);
            let bits = |(a, b): (Array, Array)| {
                [a, b].map(|x| x.to_vec::<f32>().iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            };
            let mut live = Recorder::new().live(f, (Array::from(values[0]),));
            assert_eq!(bits(live.value()), bits(f(Array::from(values[0]))));
            for x in &values[1..] {
                let fresh = bits(f(Array::from(*x)));
                live.set(live.argument(0), Array::from(*x)).unwrap();
                all += 1;
                if live.update().is_ok() {
                    updated += 1;
                    assert_eq!(bits(live.value()), fresh, "{i} {name} {program:?}: an old value\n{}", live.tape());
                }
                live.update_or_rerun().unwrap();
                assert_eq!(bits(live.value()), fresh, "{i} {name} {program:?}: after a re-run\n{}", live.tape());
            }
        }
    }
    assert!(updated * 20 > all && updated < all, "{updated} of {all}");
}
