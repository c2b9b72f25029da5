import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownCertificate } from './certificate.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-certificate-'))
})
afterAll(() => rm(folder, { recursive: true }))

const HOSTS = ['localhost', '127.0.0.1', '192.168.7.20']
const NOW = new Date('2026-03-01T12:00:00Z')
const inDays = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1000)

test('names each host in the certificate, makes its key private and reuses it', async () => {
  const made = await ownCertificate(folder, HOSTS, NOW)
  const certificate = new X509Certificate(made.cert)
  expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:192.168.7.20')
  expect(certificate.ca).toBe(false)
  expect((await stat(join(folder, 'key.pem'))).mode & 0o777).toBe(0o600)
  expect(await ownCertificate(folder, HOSTS, inDays(300))).toEqual(made)
})

test.each([
  ['a name is missing', HOSTS.concat('192.168.7.21'), NOW],
  ['it expires within a day', HOSTS, inDays(396)],
])('replaces the certificate if %s', async (_why, hosts, now) => {
  const before = await ownCertificate(folder, HOSTS, NOW)
  expect((await ownCertificate(folder, hosts, now)).cert).not.toBe(before.cert)
})

test('replaces a damaged certificate', async () => {
  await writeFile(join(folder, 'cert.pem'), 'no certificate')
  expect(new X509Certificate((await ownCertificate(folder, HOSTS, NOW)).cert).checkHost('localhost')).toBe('localhost')
})
