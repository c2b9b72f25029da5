// Programs of other folders read this module without the folder of undock.
/// <reference path="./cross-spawn.d.ts" />
import crossSpawn from 'cross-spawn'

/** How a program is started that may be a script, as npm makes them on Windows: only cmd.exe runs those there, and Node does not quote the
 *  words that it passes to a shell, so a path with a space would be two. Elsewhere it changes nothing but JavaScript, which this Node runs.
 *  @returns what `spawn` and `execFile` take; `options` go among theirs. */
export function startable(command: string, words: readonly string[]) {
  const isScript = /\.[cm]?js$/.test(command)
  const {
    command: file,
    args,
    options,
  } = crossSpawn._parse(isScript ? process.execPath : command, isScript ? [command, ...words] : words, {})
  return { file, args, options: { windowsVerbatimArguments: options.windowsVerbatimArguments ?? false } }
}
