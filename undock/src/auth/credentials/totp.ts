/** Loaded with the first factor, not at every start. */
const otplib = () => import('otplib')

const PERIOD = 30

export type TotpSecret = { readonly secret: string; readonly uri: string; readonly qr_code: string }

/** Returns a new secret (160 bits, base32) with its URI and QR code for authenticator apps. */
export async function newTotpSecret(issuer: string, account: string): Promise<TotpSecret> {
  const [{ generateSecret, generateURI }, { renderSVG }] = await Promise.all([otplib(), import('uqr')])
  const secret = generateSecret()
  const uri = generateURI({ issuer, label: account, secret, algorithm: 'sha1', digits: 6, period: PERIOD })
  return { secret, uri, qr_code: renderSVG(uri, { ecc: 'M', border: 2, pixelSize: 4 }) }
}

/** Checks a code (RFC 6238, SHA-1, six digits), also accepting the previous and next one. */
export async function totpMatches(secret: string, code: string, now: Date): Promise<boolean> {
  if (!/^\d{6}$/.test(code)) return false
  const epoch = Math.floor(now.getTime() / 1000)
  const { verify } = await otplib()
  const { valid } = await verify({ secret, token: code, epoch, period: PERIOD, epochTolerance: PERIOD })
  return valid
}
