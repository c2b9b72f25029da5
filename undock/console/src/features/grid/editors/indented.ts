/** JSON with its lines indented; as it is where that would change a number that JavaScript cannot hold, or where it is none. */
export function indented(text: string): string {
  if (/\d{16,}|\d[eE]|\d\.\d*0(?!\d)/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
