import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { trustOnly } from '#platform/networks'
import type { ServedRequest } from '#platform/served-request'
import {
  type CollectorSettings,
  reporting,
  resourceOf,
  shutDown,
} from '#platform/telemetry/collector'
import type { Mode, Observer, TelemetryPart, WorkKind } from '#platform/telemetry/observer'

/** The collector that receives traces. */
export interface TraceSettings extends CollectorSettings {
  /** Whose `traceparent` a request's trace continues. */
  trusted_proxies: string[]
  /** The part of all traces that is sent, from 0 to 1. */
  sampled: number
}

const KINDS: Record<Exclude<WorkKind, 'poll'>, SpanKind> = {
  statement: SpanKind.CLIENT,
  processor: SpanKind.CLIENT,
  email: SpanKind.CLIENT,
  job: SpanKind.INTERNAL,
}

/** Traces of requests, of what they call, and of jobs, sent by OTLP over HTTP. */
export function openTraces(
  settings: TraceSettings,
  onFault: (error: Error) => void,
): TelemetryPart {
  const exporter = new OTLPTraceExporter({ url: `${settings.endpoint}/v1/traces` })
  const processor = new BatchSpanProcessor({ exporter: reporting(exporter, onFault) })
  const provider = new TracerProvider({
    resource: resourceOf(settings),
    // A trace that a trusted proxy began is continued as the proxy decided.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.sampled) }),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('purser')
  const current = new AsyncLocalStorage<Context>()
  const isTrusted = trustOnly(settings.trusted_proxies) || undefined
  return {
    of: (mode) => observerOf(mode, tracer, { current, isTrusted }),
    context() {
      const span = current.getStore()
      const { traceId: trace_id, spanId: span_id } =
        (span && trace.getSpan(span)?.spanContext()) ?? {}
      return trace_id ? { trace_id, span_id } : {}
    },
    async listen() {},
    close: () => shutDown(provider, onFault),
  }
}

interface TraceTools {
  current: AsyncLocalStorage<Context>
  isTrusted: ((address: string) => boolean) | undefined
}

function observerOf(mode: Mode, tracer: Tracer, { current, isTrusted }: TraceTools): Observer {
  const open = new WeakMap<ServedRequest, Span>()
  const propagator = new W3CTraceContextPropagator()
  const parentOf = ({ headers, raw }: ServedRequest) => {
    const isKnown = isTrusted?.(raw.socket.remoteAddress ?? '') ?? false
    if (!headers.traceparent || !isKnown) return ROOT_CONTEXT
    const getter = {
      get: (_carrier: unknown, key: string) => headers[key],
      keys: () => Object.keys(headers),
    }
    return propagator.extract(ROOT_CONTEXT, headers, getter)
  }
  return {
    onRequest(request, next) {
      const route = request.routeOptions.url ?? 'unknown'
      const parent = parentOf(request)
      const attributes = {
        'http.request.method': request.method,
        'http.route': route,
        'purser.request_id': request.id,
        'purser.mode': mode,
      }
      const options = { kind: SpanKind.SERVER, attributes }
      const span = tracer.startSpan(`${request.method} ${route}`, options, parent)
      open.set(request, span)
      // Fastify continues in this context also after the body, which arrives in no context.
      current.run(trace.setSpan(parent, span), next)
    },
    onResponse(request, reply) {
      const span = open.get(request)
      span?.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    },
    async observe(kind, name, work, outcomeOf) {
      const parent = current.getStore()
      // Polls ask every few seconds: only what they call then is worth a trace.
      if (kind === 'poll' || (kind === 'statement' && !parent)) return await work()
      const attributes = { 'purser.kind': kind, 'purser.mode': mode }
      const options = { kind: KINDS[kind], attributes }
      const span = tracer.startSpan(`${kind} ${name()}`, options, parent ?? ROOT_CONTEXT)
      try {
        return await current.run(trace.setSpan(parent ?? ROOT_CONTEXT, span), work)
      } catch (error) {
        // Not its message, which may repeat values.
        span.setAttribute('error.type', outcomeOf?.(error) ?? codeOf(error))
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
    onFallback() {},
    report() {},
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : error.name
}
