import { type Certificate, ownCertificate } from '../platform/certificate.ts'

/** A certificate for this machine, which is kept nowhere. */
export const testCertificate = (): Promise<Certificate> => ownCertificate(null, ['127.0.0.1'], new Date())
