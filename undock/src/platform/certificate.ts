import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

/** PEM texts. */
export type Certificate = { readonly cert: string; readonly key: string }

const DAY = 24 * 60 * 60 * 1000
/** Browsers refuse certificates that are valid for longer than 398 days. */
const LIFETIME = 397 * DAY

/** A certificate for these names and addresses, made here: a device that shall trust it has to be told to. It is kept, so
 *  that a device is asked once, and made again when it ends or a name is missing from it.
 *  @param folder Where it is kept; null keeps nothing. */
export async function ownCertificate(folder: string | null, hosts: readonly string[], now: Date): Promise<Certificate> {
  const kept = folder && (await keptCertificate(folder))
  if (kept && covers(kept.cert, hosts, now)) return kept
  const made = await makeCertificate(hosts, now)
  if (folder) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'key.pem'), made.key, { mode: 0o600 })
    await writeFile(join(folder, 'cert.pem'), made.cert)
  }
  return made
}

async function keptCertificate(folder: string): Promise<Certificate | null> {
  try {
    const [cert, key] = await Promise.all(['cert.pem', 'key.pem'].map((name) => readFile(join(folder, name), 'utf8')))
    // Two processes that make one at the same time may leave the key of one and the certificate of the other.
    return cert && key && new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : null
  } catch {
    return null
  }
}

function covers(cert: string, hosts: readonly string[], now: Date): boolean {
  try {
    const certificate = new X509Certificate(cert)
    if (Date.parse(certificate.validTo) < now.getTime() + DAY) return false
    return hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined)
  } catch {
    return false
  }
}

async function makeCertificate(hosts: readonly string[], now: Date): Promise<Certificate> {
  // Loaded only here: few stacks speak TLS, and those that do keep what it made.
  const { generate } = await import('selfsigned')
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'undock' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - DAY),
    notAfterDate: new Date(now.getTime() - DAY + LIFETIME),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })),
      },
    ],
  })
  return { cert, key }
}
