//! `wengert devices`: what programs can run on here.

use crate::failure::Failure;
use crate::screen::say;
use clap::{ArgMatches, Command};
use wengert_core::Result;
use wengert_pjrt::{Client, ClientOption, Plugin, discover};

/// What `wengert devices` was asked for.
#[derive(Debug)]
pub struct Devices {}

impl Devices {
    /// What the subcommand takes: nothing.
    pub fn command() -> Command {
        Command::new("devices").about("List the devices that programs can run on")
    }

    /// Reads what was given.
    pub fn read(_: &mut ArgMatches) -> Devices {
        Devices {}
    }

    /// Lists the devices. A plugin that can't be opened says why, and the others are listed all the same; if it is the one
    /// that was asked for, that is a failure.
    pub fn perform(&self) -> Result<(), Failure> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        say(format_args!("cpu: this machine, {threads} threads\n"))?;
        let named = std::env::var_os(discover::PLUGIN_VARIABLE).is_some_and(|p| !p.is_empty());
        let plugins = if named { vec![discover::find("xla")?] } else { discover::installed() };
        for found in plugins {
            match client(&found) {
                Ok(client) => {
                    for device in client.devices() {
                        say(format_args!("{device}: {}, {}\n", device.kind(), found.path.display()))?;
                    }
                }
                Err(e) if named => return Err(e.into()),
                Err(e) => eprintln!("{e}"),
            }
        }
        Ok(())
    }
}

/// Opens a plugin's devices only to list them: no memory of a GPU is preallocated.
fn client(found: &discover::FoundPlugin) -> Result<Client> {
    let plugin = Plugin::load(&found.path)?;
    let given = ClientOption::from_environment()?;
    let mut options: Vec<_> = given.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let takes_memory = ["cuda", "rocm"].iter().any(|kind| found.name.contains(kind));
    if takes_memory && options.iter().all(|(name, _)| *name != "preallocate") {
        options.push(("preallocate", ClientOption::Bool(false)));
    }
    Client::open(&plugin, &options)
}
