import type { Db } from '../../../database/db.ts'
import type { Principal } from '../../../kernel/service.ts'
import { restError } from '../../errors.ts'
import type { ApiRequest } from '../../request/request.ts'
import type { Known } from '../../schema-cache/holder.ts'
import type { Rendered } from '../response.ts'

export async function describeApi(
  _headersOnly: boolean,
  _wish: ApiRequest,
  _principal: Principal,
  _known: Known,
  _db: Db,
): Promise<Rendered> {
  throw restError('PGRST126', [])
}
