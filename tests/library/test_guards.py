"""Guards with the real frameworks and scripted models, where the frameworks are installed, and what they share."""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sqlassay import Scorer
from sqlassay.guards.conversation import Conversation, MessageKind, MessagePart, read_conversation, sql_of
from sqlassay.guards.guard import PREFIX, Guard
from sqlassay.guards.openai_agents import RunCounts
from sqlassay.guards.packages import framework
from tests.library.foreign_packages import check_with

PACKAGES = ("pydantic-ai-slim==2.68.0", "langchain==1.5.2", "openai-agents==0.24.0", "pytest")
"""With which `make nightly` runs the tests of this file."""
QUESTION = "How many trams were repaired in 2025?"
WRONG = "SELECT COUNT(*) FROM trams"
RIGHT = "SELECT COUNT(*) FROM trams WHERE repaired_year = 2025"
OPEN = Conversation(question=QUESTION)


def real(module: str) -> Any:
    pytest.importorskip(module.partition(".")[0], reason=f"needs {module.partition('.')[0]}")
    return import_module(module)


def test_sql_below_the_bound_is_answered_with_the_reasons_against_it() -> None:
    text = Guard(below=50).objection(lambda: (OPEN, WRONG))
    assert text is not None
    assert text.startswith(f"{PREFIX}: it scores 10 of 100.\n- VALUE_UNUSED: ")
    assert "FILTER_MISSING" in text
    assert Guard(below=50).objection(lambda: (OPEN, RIGHT)) is None
    assert Guard(below=5).objection(lambda: (OPEN, WRONG)) is None


@pytest.mark.parametrize("sql", ["", None, "Which trams do you mean?", "SELEC FROM"])
def test_what_has_no_score_passes(sql: str | None) -> None:
    assert Guard(below=100).objection(lambda: (OPEN, sql)) is None
    assert Guard(below=100).objection(lambda: (Conversation(), WRONG)) is None


def test_a_model_is_asked_again_twice_at_most() -> None:
    told = [Guard().objection(lambda n=n: (Conversation(question=QUESTION, objections=n), WRONG)) for n in range(4)]
    assert [each is not None for each in told] == [True, True, False, False]


def test_an_error_of_the_guard_passes_the_sql_and_is_logged(caplog) -> None:
    class Broken(Scorer):
        def score(self, **_: Any) -> Any:
            raise RuntimeError("broken")

    with caplog.at_level(logging.WARNING, "sqlassay.guards"):
        assert Guard(scorer=Broken()).objection(lambda: (OPEN, WRONG)) is None
        assert Guard().objection(lambda: {}["missing"]) is None
    assert [each.exc_info[0] for each in caplog.records] == [RuntimeError, KeyError]


@pytest.mark.parametrize(("bound", "message"), [({"below": 101}, "below is 101"), ({"retries": -1}, "retries is -1")])
def test_a_bound_that_cannot_be_used_is_refused(bound: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Guard(**bound)  # pyright: ignore[reportArgumentType] each is a number


def test_a_follow_up_is_judged_with_the_turns_before_it() -> None:
    first = [
        MessagePart(MessageKind.QUESTION, QUESTION),
        MessagePart(MessageKind.SQL, WRONG),
        MessagePart(MessageKind.OBJECTION, ""),
        MessagePart(MessageKind.SQL, RIGHT),
    ]
    found = read_conversation([*first, MessagePart(MessageKind.QUESTION, "and by line?")])
    assert found == Conversation(question="and by line?", history=({"question": QUESTION, "sql": RIGHT},))
    lost = "SELECT line, COUNT(*) FROM trams GROUP BY line"
    kept = "SELECT line, COUNT(*) FROM trams WHERE repaired_year = 2025 GROUP BY line"
    assert Guard().objection(lambda: (found, kept)) is None
    assert "2025" in (Guard().objection(lambda: (found, lost)) or "")


def test_the_sql_of_an_output_is_a_field_a_fence_or_the_text() -> None:
    class Answer:
        sql = RIGHT

    outputs = (Answer(), {"query": RIGHT}, f"Here it is:\n```sql\n{RIGHT}\n```\nDone.", RIGHT)
    assert [sql_of(each) for each in outputs] == [RIGHT] * 4


def test_a_run_is_forgotten_when_it_ends() -> None:
    class Run:
        pass

    counts, run, other = RunCounts(), Run(), Run()
    counts.add(run)
    counts.add(run)
    assert (counts.count(run), counts.count(other)) == (2, 0)
    place = id(run)
    del run
    assert place not in counts._counts


def test_a_missing_or_old_framework_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"no-such is not installed; .*pip install 'no-such>=1\.0'"):
        framework("no_such", package="no-such", least="1.0", names=())
    with pytest.raises(ImportError, match=r"pytest [\d.]+ is too old; a guard for it needs pytest 99 or later"):
        framework("pytest", package="pytest", least="99", names=("of_tomorrow",))


def test_pydantic_ai_asks_again_with_the_reasons() -> None:
    pydantic_ai, messages = real("pydantic_ai"), real("pydantic_ai.messages")
    function = real("pydantic_ai.models.function")
    from sqlassay.guards.pydantic_ai import sql_guard

    def run(answers: list[str], retries: int, history: Any = None, question: str = QUESTION) -> tuple[str, list[str]]:
        told, left = list[str](), iter(answers)

        def reply(conversation: list[Any], _: Any) -> Any:
            told.extend(str(each.content) for each in conversation[-1].parts if PREFIX in str(each.content))
            return messages.ModelResponse(parts=[messages.TextPart(next(left))])

        agent = pydantic_ai.Agent(function.FunctionModel(reply), retries=retries)
        agent.output_validator(sql_guard(below=50))
        return asyncio.run(agent.run(question, message_history=history)).output, told

    output, told = run([WRONG, f"```sql\n{RIGHT}\n```"], retries=2)
    assert RIGHT in output
    assert len(told) == 1
    assert "FILTER_MISSING" in told[0]
    assert len(run([WRONG] * 5, retries=5)[1]) == 2
    # the agent's own limit is lower: the answer passes instead of ending the run
    assert run([WRONG] * 5, retries=1)[0] == WRONG
    first = [
        messages.ModelRequest(parts=[messages.UserPromptPart(QUESTION)]),
        messages.ModelResponse(parts=[messages.TextPart(RIGHT)]),
    ]
    lost = "SELECT line, COUNT(*) FROM trams GROUP BY line"
    assert len(run([lost] * 5, retries=2, history=first, question="and by line?")[1]) == 2


def langchain_run(answers: list[str], messages: list[Any], *, wait: bool = False) -> tuple[list[str], list[Any]]:
    """Runs an agent that calls the tool with one answer after another; returns what the tool ran, and the messages."""
    agents, fakes = real("langchain.agents"), real("langchain_core.language_models.fake_chat_models")
    core = real("langchain_core.messages")
    from sqlassay.guards.langchain import sql_guard

    ran = list[str]()

    def run_sql(query: str) -> str:
        """Runs a query."""
        ran.append(query)
        return "7"

    class Scripted(fakes.GenericFakeChatModel):
        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

    calls = [
        core.AIMessage(content="", tool_calls=[{"name": "run_sql", "args": {"query": each}, "id": str(place)}])
        for place, each in enumerate(answers)
    ]
    model = Scripted(messages=iter([*calls, core.AIMessage(content="7 trams")]))
    agent = agents.create_agent(model, tools=[run_sql], middleware=[sql_guard({"run_sql": "query"}, below=50)])
    asked = {"messages": messages}
    result = asyncio.run(agent.ainvoke(asked)) if wait else agent.invoke(asked)
    return ran, [each for each in result["messages"] if each.type == "tool"]


@pytest.mark.parametrize("wait", [False, True])
def test_langchain_answers_a_tool_call_with_the_reasons(wait: bool) -> None:
    real("langchain")
    ran, results = langchain_run([WRONG, RIGHT], [{"role": "user", "content": QUESTION}], wait=wait)
    assert ran == [RIGHT]
    assert results[0].content.startswith(PREFIX)
    assert results[0].status == "error"
    assert results[1].content == "7"


def test_langchain_runs_the_third_try_and_reads_earlier_turns() -> None:
    core = real("langchain_core.messages")
    assert langchain_run([WRONG] * 3, [{"role": "user", "content": QUESTION}])[0] == [WRONG]
    call = {"name": "run_sql", "args": {"query": RIGHT}, "id": "a"}
    first = [
        core.HumanMessage(QUESTION),
        core.AIMessage(content="", tool_calls=[call]),
        core.ToolMessage("7", tool_call_id="a"),
        core.AIMessage("7 trams"),
        core.HumanMessage("and by line?"),
    ]
    lost = "SELECT line, COUNT(*) FROM trams GROUP BY line"
    kept = "SELECT line, COUNT(*) FROM trams WHERE repaired_year = 2025 GROUP BY line"
    assert langchain_run([lost, kept], first)[0] == [kept]


def test_openai_agents_reject_a_tool_call_with_the_reasons() -> None:
    agents, testing = real("agents"), real("agents.testing")
    from sqlassay.guards.openai_agents import sql_guard

    agents.set_tracing_disabled(True)

    def run(answers: list[str], asked: Any) -> tuple[list[str], list[str]]:
        ran = list[str]()

        def run_sql(sql: str) -> str:
            ran.append(sql)
            return "7"

        tool = agents.function_tool(tool_input_guardrails=[sql_guard(below=50)])(run_sql)
        calls = [[testing.function_call("run_sql", {"sql": each}, call_id=str(n))] for n, each in enumerate(answers)]
        model = testing.ScriptedModel([*calls, [testing.assistant_message("7 trams")]])
        agent = agents.Agent(name="trams", model=model, tools=[tool])
        result = asyncio.run(agents.Runner.run(agent, asked))
        return ran, [each.output for each in result.new_items if each.type == "tool_call_output_item"]

    ran, outputs = run([WRONG, RIGHT], QUESTION)
    assert (ran, outputs[1]) == ([RIGHT], "7")
    assert outputs[0].startswith(PREFIX)
    assert run([WRONG] * 3, QUESTION)[0] == [WRONG]
    first = [
        {"role": "user", "content": QUESTION},
        {"type": "function_call", "call_id": "x", "name": "run_sql", "arguments": f'{{"sql": "{RIGHT}"}}'},
        {"type": "function_call_output", "call_id": "x", "output": "7"},
        {"role": "user", "content": [{"type": "input_text", "text": "and by line?"}]},
    ]
    lost = "SELECT line, COUNT(*) FROM trams GROUP BY line"
    kept = "SELECT line, COUNT(*) FROM trams WHERE repaired_year = 2025 GROUP BY line"
    assert run([lost, kept], first)[0] == [kept]


@pytest.mark.slow
@pytest.mark.nightly  # installs a hundred packages
def test_the_guards_work_with_the_packages_that_they_are_for(tmp_path: Path) -> None:
    check_with(PACKAGES, __file__, 18, tmp_path)
