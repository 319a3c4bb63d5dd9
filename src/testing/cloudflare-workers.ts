/**
 * Stands in for the module `cloudflare:workers`, which exists only inside the runtime. The object classes need nothing of
 * it but this base class. An alias leads here: esbuild's when the package is built, vite's in tests.
 */
export class DurableObject<Env = unknown> {
  protected readonly ctx: DurableObjectState
  protected readonly env: Env

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx
    this.env = env
  }
}
