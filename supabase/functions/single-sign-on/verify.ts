import { refusal } from '../_shared/errors.ts'
import type { Domains } from '../_shared/sign-in/domains.ts'
import type { OwnedDomain } from './owned-domain.ts'
import type { LookUpTxt } from './txt-records.ts'

export type VerifyDeps = {
  readonly domains: Pick<Domains, 'verify'>
  readonly lookUp: LookUpTxt
}

const RECORD = /^carrel-verification=(.*)$/

/** Verifies that the owner controls the domain: a TXT record at `_carrel.` or at the domain itself has the token.
 *  @throws {Refusal} 409 with what is missing. */
export async function verify(owned: OwnedDomain, { domains, lookUp }: VerifyDeps): Promise<void> {
  if (owned.verified_at !== null) return
  const values = await verificationsOf(owned.domain, lookUp)
  if (values.length === 0) throw refusal('dns_record_missing')
  if (!values.includes(owned.token)) throw refusal('dns_record_other')
  if (!(await domains.verify(owned.id, owned.owner))) throw refusal('sign_in_domain_of_another_library')
}

async function verificationsOf(domain: string, lookUp: LookUpTxt): Promise<string[]> {
  const answers = await Promise.allSettled([lookUp(`_carrel.${domain}`), lookUp(domain)])
  const failed = answers.filter(({ status }) => status === 'rejected')
  const values = answers
    .flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    .flatMap((record) => RECORD.exec(record.trim())?.[1]?.trim() ?? [])
  if (failed.length > 0 && values.length === 0) {
    console.warn(`TXT records of ${domain}:`, failed)
    throw refusal('dns_unavailable')
  }
  return values
}
