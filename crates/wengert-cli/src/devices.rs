//! `wengert devices`: what programs can run on here.

use crate::failure::Failure;
use clap::Args;
use wengert_core::Result;
use wengert_pjrt::{Client, Plugin, discover};

/// List the devices that programs can run on.
#[derive(Debug, Args)]
pub struct Devices {}

impl Devices {
    /// Lists them. A plugin that can't be opened says why, and the others are listed all the same.
    pub fn perform(&self) -> Result<(), Failure> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        println!("cpu: this machine, {threads} threads");
        let mut plugins = discover::installed();
        if std::env::var_os(discover::PLUGIN_VARIABLE).is_some_and(|p| !p.is_empty()) {
            plugins = vec![discover::find("xla")?];
        }
        for found in plugins {
            match client(&found) {
                Ok(client) => {
                    for device in client.devices() {
                        println!(
                            "{}:{}: {}, {}",
                            client.platform(),
                            device.index(),
                            device.kind(),
                            found.path.display()
                        );
                    }
                }
                Err(e) => eprintln!("{}: {e}", found.path.display()),
            }
        }
        Ok(())
    }
}

fn client(found: &discover::Found) -> Result<Client> {
    Client::open(&Plugin::load(&found.path)?, &[])
}
