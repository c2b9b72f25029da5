import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

export type Certificate = { readonly cert: string; readonly key: string }

const DAY = 24 * 60 * 60 * 1000
/** Browsers refuse certificates valid for more than 398 days. */
const LIFETIME = 397 * DAY

/** Returns a self-signed certificate for these hosts, which a device must be told to trust. It's kept, so that this
 *  happens once, and recreated when it expires or lacks a name.
 *  @param folder Where it's kept; null keeps nothing. */
export async function ownCertificate(folder: string | null, hosts: readonly string[], now: Date): Promise<Certificate> {
  const stored = folder && (await keptCertificate(folder))
  if (stored && covers(stored.cert, hosts, now)) return stored
  const certificate = await makeCertificate(hosts, now)
  if (folder) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'key.pem'), certificate.key, { mode: 0o600 })
    await writeFile(join(folder, 'cert.pem'), certificate.cert)
  }
  return certificate
}

async function keptCertificate(folder: string): Promise<Certificate | null> {
  try {
    const [cert, key] = await Promise.all(['cert.pem', 'key.pem'].map((name) => readFile(join(folder, name), 'utf8')))
    // Two processes that create one simultaneously may leave a mismatched key and certificate.
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
  // Loaded on demand: few stacks use TLS, and those keep the result.
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
