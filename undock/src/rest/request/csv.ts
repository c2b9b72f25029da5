/** Reads RFC 4180 text: quoted fields, doubled quotes, LF or CRLF; blank lines do not count. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const { value, next } = readField(text, at)
    row.push(value)
    if (text[next] === ',') {
      at = next + 1
      if (at === text.length) row.push('')
      continue
    }
    at = next + (text.startsWith('\r\n', next) ? 2 : 1)
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  if (row.length > 0) rows.push(row)
  return rows
}

function readField(text: string, start: number): { value: string; next: number } {
  if (text[start] !== '"') {
    let next = start
    while (next < text.length && text[next] !== ',' && text[next] !== '\n' && text[next] !== '\r') next++
    return { value: text.slice(start, next), next }
  }
  let value = ''
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return { value: value + text.slice(at), next: text.length }
    value += text.slice(at, quote)
    if (text[quote + 1] !== '"') return { value, next: quote + 1 }
    value += '"'
    at = quote + 2
  }
}

/** Rows of a table as a JSON array: the first line names the columns, `NULL` is null, everything else stays text. */
export function csvToObjects(text: string): Record<string, string | null>[] {
  const [names = [], ...rows] = parseCsv(text)
  return rows.map((row) =>
    Object.fromEntries(
      row.slice(0, names.length).map((value, index) => [names[index], value === 'NULL' ? null : value]),
    ),
  )
}
