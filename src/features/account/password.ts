/** The auth service may ask for more (config.toml: minimum_password_length); its refusal is shown as it comes. */
const SHORTEST = 10
/** bcrypt reads no further; the auth service refuses longer ones. */
const LONGEST_BYTES = 72

export const PASSWORD_HINT = `At least ${SHORTEST} characters. A few unrelated words are easy to keep.`

/** What is wrong with a new password, before it is sent. */
export function passwordFault(password: string): string | undefined {
  if ([...password].length < SHORTEST) return `Too short: at least ${SHORTEST} characters.`
  if (new TextEncoder().encode(password).length > LONGEST_BYTES) return `Too long: at most ${LONGEST_BYTES} bytes.`
}
