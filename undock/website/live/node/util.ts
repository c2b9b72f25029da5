export const isDate = (value: unknown): value is Date => value instanceof Date

/** Node's wrapper warns once; a page needs no warnings. */
export const deprecate = <F>(work: F): F => work

/** Compares plain objects, arrays, maps and bytes, of which the settings of the Data API consist. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (one instanceof Map && other instanceof Map) return isDeepStrictEqual([...one], [...other])
  const [entries, others] = [Object.entries(one), new Map(Object.entries(other))]
  return entries.length === others.size && entries.every(([key, value]) => isDeepStrictEqual(value, others.get(key)))
}

export const isIP = (text: string): number => (/^[\d.]+$/.test(text) ? 4 : text.includes(':') ? 6 : 0)
