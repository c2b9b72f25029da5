import { invalidRequest } from './errors.ts'

const PLAIN = ['all', 'noindex', 'nofollow', 'none', 'nosnippet', 'indexifembedded', 'notranslate', 'noimageindex']
const WITH_NUMBER = ['max-snippet', 'max-video-preview']
const PREVIEW_SIZES = ['none', 'standard', 'large']

/** Checks an X-Robots-Tag before it is stored and sent to everyone: rules as search engines know them, each of them
 *  behind a crawler's name if it likes. @throws {StorageError} InvalidRequest */
export function checkRobotsTag(value: string): void {
  const rules = value.split(',').map((rule) => rule.trim())
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index] ?? ''
    const [name = '', ...rest] = rule.split(':')
    const argument = rest.join(':').trim()
    if (name === 'unavailable_after') {
      // Dates carry a comma of their own ("Wed, 25 Jun 2026 …").
      const dated = Number.isNaN(Date.parse(argument)) ? `${argument}, ${rules[++index] ?? ''}` : argument
      if (Number.isNaN(Date.parse(dated))) throw refused(`invalid date in rule "${rule}"`)
      continue
    }
    const crawlersRule = /^[a-zA-Z0-9_-]+$/.test(name) && PLAIN.includes(argument)
    if (!PLAIN.includes(rule) && !crawlersRule && !isParametric(name, argument)) throw refused(`unknown rule "${rule}"`)
  }
}

const isParametric = (name: string, argument: string): boolean =>
  (WITH_NUMBER.includes(name) && /^-?\d+$/.test(argument)) ||
  (name === 'max-image-preview' && PREVIEW_SIZES.includes(argument))

const refused = (why: string) => invalidRequest(`Invalid X-Robots-Tag header: ${why}`, 'invalid_x_robots_tag')
