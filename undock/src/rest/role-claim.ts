import { query } from 'jsonpath-rfc9535'
import { isJsonObject } from '../kernel/json.ts'

/** Where a token's claims name the role (`pgrst.jwt_role_claim_key`).
 *
 *  - `member`: `$.role`, the default, which needs no evaluation
 *  - `json`: any other JSON path (RFC 9535), whose first result counts
 *  - `old`: the syntax before PostgREST 16, without `$`, which 16 still reads (Config/DeprecatedJSPath.hs) */
export type RoleClaimPath =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'json'; readonly expression: string }
  | { readonly kind: 'old'; readonly steps: readonly OldStep[] }

type OldStep =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'filter'; readonly operator: string; readonly operand: string }

export function parseRoleClaimPath(text: string): RoleClaimPath | null {
  if (!text.startsWith('$')) return parseOldPath(text)
  const [, name] = /^\$\.([A-Za-z_]\w*)$/.exec(text) ?? []
  if (name !== undefined) return { kind: 'member', name }
  try {
    query({}, text)
    return { kind: 'json', expression: text }
  } catch {
    return null
  }
}

const OLD_STEP =
  /\.(?:([\p{L}\p{N}_$@]+)|"([^"]*)")|\[(\d+)\]|\[\?\(\s*@\s*(==\^|==|!=|\^==|\*==)\s*"([^"]*)"\s*\)\](?=$)/uy

function parseOldPath(text: string): RoleClaimPath | null {
  const steps: OldStep[] = []
  for (OLD_STEP.lastIndex = 0; OLD_STEP.lastIndex < text.length; ) {
    const match = OLD_STEP.exec(text)
    if (!match) return null
    const [, bare, quoted, index, operator, operand = ''] = match
    if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
    else if (operator !== undefined) steps.push({ kind: 'filter', operator, operand })
    else steps.push({ kind: 'key', name: bare ?? quoted ?? '' })
  }
  return steps.length === 0 ? null : { kind: 'old', steps }
}

/** Returns the role in the claims, or null. As in PostgREST, a value other than text names the role by its JSON. */
export function roleFromClaims(claims: Readonly<Record<string, unknown>>, path: RoleClaimPath): string | null {
  const value = valueAt(claims, path)
  const role = typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
  return role || null
}

function valueAt(claims: Readonly<Record<string, unknown>>, path: RoleClaimPath): unknown {
  switch (path.kind) {
    case 'member':
      return Object.hasOwn(claims, path.name) ? claims[path.name] : undefined
    case 'json':
      return query(claims as Parameters<typeof query>[0], path.expression)[0]
    case 'old':
      return path.steps.reduce<unknown>(oldStep, claims)
  }
}

function oldStep(value: unknown, step: OldStep): unknown {
  if (step.kind === 'key') return isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined
  if (!Array.isArray(value)) return undefined
  return step.kind === 'index' ? value[step.index] : value.find((one) => typeof one === 'string' && passes(one, step))
}

function passes(text: string, { operator, operand }: Extract<OldStep, { kind: 'filter' }>): boolean {
  switch (operator) {
    case '!=':
      return text !== operand
    case '^==':
      return text.startsWith(operand)
    case '==^':
      return text.endsWith(operand)
    case '*==':
      return text.includes(operand)
    default:
      return text === operand
  }
}
