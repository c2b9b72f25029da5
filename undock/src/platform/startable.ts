// Programs of other folders read this module without the folder of undock.
/// <reference path="./untyped-packages.d.ts" />
import crossSpawn from 'cross-spawn'

/** Returns how to start a program that may be a script, such as npm's on Windows: only cmd.exe runs those, and Node
 *  doesn't quote a shell's arguments, so a path with a space would be two. JavaScript runs on this Node.
 *  @returns arguments for `spawn` and `execFile`; merge `options` into theirs. */
export function startable(command: string, words: readonly string[]) {
  const isScript = /\.[cm]?js$/.test(command)
  const {
    command: file,
    args,
    options,
  } = crossSpawn._parse(isScript ? process.execPath : command, isScript ? [command, ...words] : words, {})
  return { file, args, options: { windowsVerbatimArguments: options.windowsVerbatimArguments ?? false } }
}
