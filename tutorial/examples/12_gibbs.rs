//! A sampler that changes one variable a step. The model is run once and recorded; after that, a change costs what
//! depends on it, and not the model.
//!
//! The model is a chain of spins in a field that was measured with noise: each spin likes to agree with its neighbours
//! and with its measurement. Gibbs sampling visits one spin after another.

use std::time::Instant;
use wengert::tape::LiveRun;
use wengert::{Array, Recorder, random};

const SPINS: usize = 1000;
const SWEEPS: usize = 3;

/// The log-probability, up to a constant: terms of one or two spins, added in pairs so that a spin is a few sums away
/// from the total.
fn log_prob(spins: Vec<Array>, measured: Vec<Array>) -> Array {
    let mut terms: Vec<Array> = spins.windows(2).map(|s| &s[0] * &s[1] * 0.8).collect();
    terms.extend(spins.iter().zip(&measured).map(|(s, m)| s * m));
    while terms.len() > 1 {
        terms = terms.chunks(2).map(|t| if t.len() == 2 { &t[0] + &t[1] } else { t[0].clone() }).collect();
    }
    terms.remove(0)
}

fn main() -> wengert::Result<()> {
    // The truth has three domains; each spin was measured badly.
    let truth: Vec<f64> = (0..SPINS).map(|i| if (300..700).contains(&i) { -1.0 } else { 1.0 }).collect();
    let noise = random::normal(&random::key(1), [SPINS], wengert::DType::F64).to_vec::<f64>();
    let measured: Vec<Array> = truth.iter().zip(&noise).map(|(t, n)| Array::from(0.4 * t + 0.6 * n)).collect();
    let start: Vec<Array> = noise.iter().map(|n| Array::from(if *n > 0.0 { 1.0 } else { -1.0 })).collect();

    let time = Instant::now();
    let mut live: LiveRun<'_, (Vec<Array>, Vec<Array>), Array> =
        Recorder::new().live(log_prob, (start, measured.clone()));
    let whole = time.elapsed();
    println!("the model: {} nodes, recorded in {:.1} ms", live.tape().len(), whole.as_secs_f64() * 1e3);

    let uniform = random::uniform(&random::key(2), [SWEEPS * SPINS], wengert::DType::F64).to_vec::<f64>();
    let time = Instant::now();
    let mut computed = 0;
    for (step, u) in uniform.iter().enumerate() {
        let spin = live.argument(step % SPINS);
        let mut log_p = [0.0; 2];
        for (p, value) in log_p.iter_mut().zip([-1.0, 1.0]) {
            live.set(spin, Array::from(value))?;
            let changes = live.update()?;
            computed += changes.changed.len() + changes.same.len();
            *p = live.tape().root().value(0).expect("kept").get(0).as_f64().expect("real");
        }
        let up = 1.0 / (1.0 + (log_p[0] - log_p[1]).exp());
        live.set(spin, Array::from(if *u < up { 1.0 } else { -1.0 }))?;
        live.update()?;
    }
    let steps = uniform.len();
    let each = time.elapsed() / steps as u32;
    println!("{steps} steps, {:.1} µs and {:.1} ops each", each.as_secs_f64() * 1e6, computed as f64 / steps as f64);

    // The tape has followed every change: it says what a run of the model says.
    let spins: Vec<Array> =
        (0..SPINS).map(|i| Array::from_tensor(live.tape().node(live.argument(i)).value(0).unwrap())).collect();
    let time = Instant::now();
    let again = log_prob(spins.clone(), measured);
    let rerun = time.elapsed();
    assert_eq!(live.value().item::<f64>(), again.item::<f64>());
    let right = spins.iter().zip(&truth).filter(|(s, t)| s.item::<f64>() == **t).count();
    println!("log-probability {:.2}, {right} of {SPINS} spins as they truly are", again.item::<f64>());
    println!(
        "running the model again takes {:.2} ms, and a step needs it twice: {:.0} times as long",
        rerun.as_secs_f64() * 1e3,
        2.0 * rerun.as_secs_f64() / each.as_secs_f64()
    );
    Ok(())
}
