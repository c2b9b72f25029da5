/** A JSON value of a spec. Keeps numbers as written if JavaScript would change them. */
export class Json {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }

  /** Without spaces and with sorted keys, like the specs' JSON library. */
  get text(): string {
    return JSON.stringify(this.value)
  }
}

/** @returns null if the text isn't JSON */
export function readJson(text: string): Json | null {
  try {
    return new Json(JSON.parse(text, exact))
  } catch {
    return null
  }
}

const TOKENS = /"(?:\\.|[^"\\])*"|#\{(\w+)\}|([A-Za-z_$][\w$]*)(?=\s*:)/gs

/** Reads the JSON of a quotation: keys can be unquoted, and `#{name}` is replaced by a value. @throws {SyntaxError} */
export function readQuotedJson(text: string, interpolate: (name: string) => unknown): Json {
  const plain = text.replace(TOKENS, (token: string, name?: string, key?: string) => {
    if (name !== undefined) return JSON.stringify(interpolate(name))
    if (key !== undefined) return `"${key}"`
    return token.replaceAll('\n', '\\n')
  })
  return new Json(JSON.parse(plain, exact))
}

function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value === 'number' && context?.source !== undefined) {
    const isExact = Number.isSafeInteger(value) || /^-?\d{1,15}(?:\.\d{1,15})?$/.test(context.source)
    return isExact ? value : rawJson(context.source)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'rawJSON' in value) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON(text: string): unknown }
