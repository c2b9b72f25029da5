import { serviceClient } from '../_shared/clients.ts'
import { openLibraries } from './library-mail.ts'
import { answerMail } from './receiving.ts'

const settings = {
  domain: Deno.env.get('MAIL_IN_DOMAIN'),
  secret: Deno.env.get('MAIL_IN_SECRET'),
  mailgunKey: Deno.env.get('MAIL_IN_MAILGUN_KEY'),
}

/** For mail services and servers, which have no account and authenticate with a secret. */
Deno.serve((request) => answerMail(request, { settings, libraries: openLibraries(serviceClient()), now: Date.now }))
