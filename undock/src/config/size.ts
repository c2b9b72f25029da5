const POWERS = ['', 'k', 'm', 'g', 't', 'p']

const SIZE = /^(\d+(?:\.\d*)?|\.\d+) ?([kmgtp]?)(?:i?b)?$/i

/** Reads a size as config.toml writes it: `50MiB`, `5MB`, `500kb`, `1.5g`, `1024`.
 *  Every prefix counts in powers of 1024, with or without the `i`: the CLI reads sizes as those of memory
 *  (RAMInBytes of docker/go-units), so `5MB` is 5,242,880 there and must be the same here.
 *  @returns Whole bytes, or undefined when the text is not a size. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text)
  if (!match) return undefined
  const power = POWERS.indexOf((match[2] ?? '').toLowerCase())
  return Math.floor(Number(match[1]) * 1024 ** power)
}
