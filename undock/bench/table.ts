export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** The number that a share of the numbers does not exceed: 0.95 is the 95th percentile. */
export const shareOf = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? Number.NaN

/** A Markdown table. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en')}/s`
export const ratio = (ours: number, theirs: number): string => `${(ours / theirs).toFixed(ours < theirs ? 2 : 1)}×`
export const milliseconds = (value: number): string =>
  value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`
export const microseconds = (seconds: number): string => `${Math.round(seconds * 1e6)} µs`
export const kilobytes = (bytes: number): string => `${Math.round(bytes / 2 ** 10).toLocaleString('en')} kB`
export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`
