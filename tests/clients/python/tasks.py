"""Tasks, of which the SDK knows nothing but that an extension may claim results of another kind.

So the extension is written here, by the SDK's public interface for extensions: it looks at a task until it has ended,
lets the client's own callbacks answer what the task asks, and gives its result as that of the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import anyio
import mcp_types as types
from asking import DECLINE, YES, answering
from mcp import MCPError
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.session import ClientRequestContext, ClientSession
from session import Session, check, expect, only_text, refused, same

PAUSE_SECONDS = 0.02
"""Between two looks at a task; the server proposes more, for tasks that take longer than these."""
ENDED = ("completed", "failed", "cancelled")


class TaskParams(types.RequestParams):
    task_id: str
    input_responses: types.InputResponses | None = None


class TaskRequest(types.Request[TaskParams, Literal["tasks/get", "tasks/update", "tasks/cancel"]]):
    name_param = "taskId"


class CreateTaskResult(types.Result):
    """What a call is answered with."""

    result_type: Literal["task"]
    task_id: str


class GetTaskResult(types.Result):
    """How a task stands."""

    status: str
    status_message: str | None = None
    input_requests: dict[str, types.InputRequest] = {}
    result: types.CallToolResult | None = None
    error: types.ErrorData | None = None


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.seen: list[tuple[str, str | None]] = []
        """How the tasks stood, with what they told of it."""

    def claims(self) -> Sequence[ResultClaim[CreateTaskResult]]:
        return [ResultClaim(result_type="task", model=CreateTaskResult, resolve=self.resolve)]

    async def resolve(self, created: CreateTaskResult, ctx: ClaimContext) -> types.CallToolResult:
        while (task := await self.look(ctx.session, created.task_id)).status not in ENDED:
            if task.input_requests:
                await answer(ctx.session, created.task_id, task.input_requests)
            else:
                await anyio.sleep(PAUSE_SECONDS)
        if task.error is not None:
            raise MCPError.from_error_data(task.error)
        expect(task.result is not None, f"a task that is {task.status} has no result")
        return task.result

    async def look(self, session: ClientSession, task_id: str) -> GetTaskResult:
        request = TaskRequest(method="tasks/get", params=TaskParams(task_id=task_id))
        task = await session.send_request(request, GetTaskResult)
        if (stands := (task.status, task.status_message)) not in self.seen:
            self.seen.append(stands)
        return task


async def answer(session: ClientSession, task_id: str, questions: dict[str, types.InputRequest]) -> None:
    answers: types.InputResponses = {}
    for key, question in questions.items():
        answered = await session.dispatch_input_request(ClientRequestContext(session=session, request_id=key), question)
        expect(not isinstance(answered, types.ErrorData), f"{key} could not be answered: {answered}")
        answers[key] = answered
    params = TaskParams(task_id=task_id, input_responses=answers)
    await session.send_request(TaskRequest(method="tasks/update", params=params), types.EmptyResult)


@check("a client with an extension for tasks: the task asks, and its result is that of the call")
async def task(s: Session) -> None:
    tasks = Tasks()
    async with answering(s, {"In red?": [YES]}, extensions=[tasks]) as a:
        text = only_text(await a.client.call_tool("bind_book"))
    same(text, "Accepted(Agreed { yes: true })", "text")
    same(a.rounds(), [], "questions in results of calls")
    expect(("input_required", "choosing the leather") in tasks.seen, f"the task stood otherwise: {tasks.seen}")
    same(tasks.seen[-1][0], "completed", "the end")


@check("a tool that is a task for this client only, and one that becomes a task after its question")
async def kinds(s: Session) -> None:
    tasks = Tasks()
    async with answering(s, {"Do you look after it?": [DECLINE]}, extensions=[tasks]) as a:
        same(only_text(await a.client.call_tool("copy_book")), "copied", "text")
        same(only_text(await a.client.call_tool("lend_abroad")), "Declined", "text")
        same(a.rounds(), [["keeper"]], "questions in results of calls")
        created = [m["result"] for m in a.wire.received if m["result"].get("resultType") == "task"]
        same(len({result["taskId"] for result in created}), 2, "tasks")


@check("a task that is cancelled, and one that is none: −32602")
async def cancelled(s: Session) -> None:
    tasks = Tasks()
    async with answering(s, {}, extensions=[tasks]) as a:
        session = a.client.session
        created = await session.call_tool("bind_book", allow_claimed=True)
        cancel = TaskRequest(method="tasks/cancel", params=TaskParams(task_id=created.task_id))
        await session.send_request(cancel, types.EmptyResult)
        while (await tasks.look(session, created.task_id)).status not in ENDED:
            await anyio.sleep(PAUSE_SECONDS)
        same(tasks.seen[-1][0], "cancelled", "the end")
        same((await refused(tasks.look(session, "0" * 32))).code, -32602, "code for an unknown task")
