import { Refusal } from '../_shared/http.ts'
import type { Domains } from '../_shared/sign-in/domains.ts'
import type { OwnedDomain } from './owned-domain.ts'
import type { LookUpTxt } from './txt-records.ts'

export type VerifyDeps = {
  readonly domains: Pick<Domains, 'verify'>
  readonly lookUp: LookUpTxt
}

const RECORD = /^carrel-verification=(.*)$/

/** Proves that the library's owner decides about the domain: a TXT record of `_carrel.` before it, or of itself, has the token.
 *  @throws {Refusal} 409 with what is missing. */
export async function verify(owned: OwnedDomain, { domains, lookUp }: VerifyDeps): Promise<void> {
  if (owned.verified_at !== null) return
  const values = await verificationsOf(owned.domain, lookUp)
  if (values.length === 0)
    throw new Refusal(
      409,
      'The domain has no such record yet. It can take an hour until a new record is seen everywhere: check again later.',
    )
  if (!values.includes(owned.token))
    throw new Refusal(
      409,
      'The record of the domain has another value. Copy the value from here, or add a second record beside the one that is there.',
    )
  if (!(await domains.verify(owned.id, owned.owner)))
    throw new Refusal(
      409,
      'Another library has verified this domain before. Its owners can remove it there; a domain belongs to one library.',
    )
}

async function verificationsOf(domain: string, lookUp: LookUpTxt): Promise<string[]> {
  const answers = await Promise.allSettled([lookUp(`_carrel.${domain}`), lookUp(domain)])
  const failed = answers.filter(({ status }) => status === 'rejected')
  const values = answers
    .flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    .flatMap((record) => RECORD.exec(record.trim())?.[1]?.trim() ?? [])
  if (failed.length > 0 && values.length === 0) {
    console.warn(`TXT records of ${domain}:`, failed)
    throw new Refusal(409, 'The DNS of the domain could not be asked. Try again in a few minutes.')
  }
  return values
}
