import { type Path, scanToml } from './position.ts'
import { isTable, type RawTable } from './values.ts'

/** JSON schema of a project's configuration, for editors. */
export const SCHEMA_ADDRESS = 'https://supabase.com/schemas/config/v1.json'

/** Converts a TOML document to JSON, keeping comments at their keys. */
export function convertToml(toml: string, tables: RawTable): string {
  const above = new Map<string, string[]>()
  const after = new Map<string, string[]>()
  let pending: string[] = []
  let last = ''
  const append = (map: Map<string, string[]>, texts: readonly string[]) =>
    map.set(last, [...(map.get(last) ?? []), ...texts])
  scanToml(toml, {
    key(path) {
      last = identify(path)
      append(above, pending)
      pending = []
    },
    comment(text, isTrailing) {
      if (text.startsWith(':schema ')) return
      if (isTrailing) append(after, [text])
      else pending.push(text)
    },
  })

  function render(value: unknown, path: Path): string {
    const indent = '  '.repeat(path.length)
    const inner = `${indent}  `
    if (Array.isArray(value)) {
      if (!value.some(isTable)) return `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
      return `[\n${value.map((one, index) => member(inner, '', one, [...path, index])).join(',\n')}\n${indent}]`
    }
    if (!isTable(value)) return JSON.stringify(value)
    const entries = Object.entries(value)
    if (entries.length === 0) return '{}'
    const lines = entries.map(([key, one], index) => {
      const comma = index < entries.length - 1 ? ',' : ''
      const at = [...path, key]
      const trailing = isTable(one) ? [] : (after.get(identify(at)) ?? [])
      return `${member(inner, `${JSON.stringify(key)}: `, one, at)}${comma}${trailing.map((text) => ` // ${text}`).join('')}`
    })
    return `{\n${lines.join('\n')}\n${indent}}`
  }

  function member(indent: string, key: string, value: unknown, path: Path): string {
    const id = identify(path)
    const comments = [...(above.get(id) ?? []), ...(isTable(value) ? (after.get(id) ?? []) : [])]
    return `${comments.map((text) => `${indent}// ${text}\n`).join('')}${indent}${key}${render(value, path)}`
  }

  const rest = pending.map((text) => `// ${text}\n`).join('')
  return `${render({ $schema: SCHEMA_ADDRESS, ...tables }, [])}\n${rest}`
}

const identify = (path: Path): string => JSON.stringify(path.map(String))
