import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { type EdgeVars, listOf } from './vars.ts'

/** Lets browsers call from the origins that RHEO_CORS_ORIGINS names; without the variable no other origin may. */
export function corsByOrigins(): MiddlewareHandler<{ Bindings: EdgeVars }> {
  return (c, next) => {
    const origins = listOf(c.env.RHEO_CORS_ORIGINS)
    if (origins.length === 0) return next()
    return cors({
      origin: origins.includes('*') ? '*' : origins,
      allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'Rheo-Now', 'Rheo-Tenant'],
      exposeHeaders: ['Allow', 'Retry-After', 'Rheo-Cost', 'Rheo-Request-Id'],
      maxAge: 600,
    })(c, next)
  }
}
