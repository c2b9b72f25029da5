import { call, isObject, type RecordedCall } from './code.ts'

/** The call of supabase-js that makes a request to Auth; null where there is none. Calls of a signed-in user take the session
 *  of the client. */
export function authCall({ method, path, query, body }: RecordedCall): string | null {
  const given = isObject(body) ? body : {}
  const {
    email,
    phone,
    password,
    data,
    gotrue_meta_security: captcha,
    code_challenge,
    code_challenge_method,
    ...rest
  } = given
  const captchaToken = isObject(captcha) ? captcha.captcha_token : undefined
  const redirect = query.get('redirect_to') ?? undefined
  const options = (more: object) => ({
    ...(redirect === undefined ? {} : { emailRedirectTo: redirect }),
    captchaToken,
    ...more,
  })
  const made = (() => {
    switch (`${method} ${path}`) {
      case 'POST /signup':
        return email === undefined && phone === undefined
          ? call('signInAnonymously', optional({ options: { captchaToken, data: optional(data) } }))
          : call('signUp', optional({ email, phone, password, options: options({ data: optional(data) }) }))
      case 'POST /token':
        if (query.get('grant_type') === 'password')
          return call('signInWithPassword', optional({ email, phone, password, options: { captchaToken } }))
        return query.get('grant_type') === 'refresh_token'
          ? call('refreshSession', { refresh_token: given.refresh_token })
          : null
      case 'POST /otp':
        return call(
          'signInWithOtp',
          optional({ email, phone, options: options({ shouldCreateUser: rest.create_user, data: optional(data) }) }),
        )
      case 'POST /recover':
        return call('resetPasswordForEmail', email, { redirectTo: redirect, captchaToken })
      case 'POST /verify':
        return call('verifyOtp', optional({ email, phone, ...rest }))
      case 'GET /user':
        return 'getUser()'
      case 'PUT /user':
        return call('updateUser', optional({ email, phone, password, data, ...rest }))
      case 'POST /logout':
        return call('signOut', { scope: query.get('scope') ?? 'global' })
      default:
        return null
    }
  })()
  return made && `client.auth.${made}`
}

/** The object without empty fields: undefined, null, '' and {}. */
function optional(value: unknown): unknown {
  if (!isObject(value)) return value
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const said = name === 'options' || name === 'data' ? optional(one) : one
    return said === undefined || said === null || said === '' || (isObject(said) && Object.keys(said).length === 0)
      ? []
      : [[name, said]]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}
