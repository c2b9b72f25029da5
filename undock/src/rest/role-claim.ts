/** The path of the role in a token's claims (`pgrst.jwt_role_claim_key`): `.role`, `."https://x/roles"[0]`, optionally with
 *  `[?(@ == "editor")]` at the end, which takes the first matching string of a list (PostgREST Config/JSPath.hs). */
export type RoleClaimPath = readonly Step[]

type Step =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'filter'; readonly matches: (text: string) => boolean }

const STEP =
  /\.(?:([\p{L}\p{N}_$@]+)|"([^"]*)")|\[(\d+)\]|\[\?\(\s*@\s*(==\^|==|!=|\^==|\*==)\s*"((?:\\.|[^"\\])*)"\s*\)\](?=$)/uy

/** @returns null when the text is not a path. */
export function parseRoleClaimPath(text: string): RoleClaimPath | null {
  const steps: Step[] = []
  for (STEP.lastIndex = 0; STEP.lastIndex < text.length; ) {
    const found = STEP.exec(text)
    if (!found) return null
    const [, bare, quoted, index, operator, operand = ''] = found
    if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
    else if (operator !== undefined) steps.push({ kind: 'filter', matches: condition(operator, operand) })
    else steps.push({ kind: 'key', name: bare ?? quoted ?? '' })
  }
  return steps.length === 0 ? null : steps
}

function condition(operator: string, quoted: string): (text: string) => boolean {
  const operand = quoted.replace(/\\(.)/g, '$1')
  switch (operator) {
    case '!=':
      return (text) => text !== operand
    case '^==':
      return (text) => text.startsWith(operand)
    case '==^':
      return (text) => text.endsWith(operand)
    case '*==':
      return (text) => text.includes(operand)
    default:
      return (text) => text === operand
  }
}

/** @returns null when the claims name no role. */
export function roleFromClaims(claims: unknown, path: RoleClaimPath): string | null {
  let value = claims
  for (const step of path) {
    if (step.kind === 'key') value = isRecord(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined
    else if (!Array.isArray(value)) return null
    else if (step.kind === 'index') value = value[step.index]
    else value = value.find((one) => typeof one === 'string' && step.matches(one))
  }
  return typeof value === 'string' && value !== '' ? value : null
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
